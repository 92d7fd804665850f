#include "capture/formats/json_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order_mark.h"
#include "base/mem.h"

#define BLOCK_SIZE ((size_t)64 << 10)

struct level {
	bool is_array;
	bool walks;     /* the elements are entered one by one */
	bool not_first; /* a comma must come before the next */
};

/* Where the last element of a level began, provided that it was the first on its line. */
struct anchor {
	bool valid;
	off_t line_at; /* its line's first byte */
	uint64_t line;
	size_t column;
};

struct json_stream {
	FILE *file;
	const struct json_stream_rule *rules;
	size_t n_rules;
	char *block;
	size_t at, len;
	uint64_t line;
	off_t base, line_at; /* file offsets of the block and of the line's first byte */
	struct level levels[JSON_STREAM_DEPTH];
	struct anchor anchors[JSON_STREAM_DEPTH + 1]; /* by depth */
	unsigned depth, gaps;
	bool read, begun, many, allows_gaps;
	bool line_is_blank; /* only blanks so far on this line */
	bool blank;         /* the same, tracked also within values */
	bool resumed;       /* after a gap: no comma is expected */
	struct buf key, value;
	const char *why; /* the first error */
};

struct json_stream *json_stream_create(
        FILE *file, const struct json_stream_rule *rules, size_t n_rules)
{
	struct json_stream *o = xcalloc(1, sizeof(*o));
	*o = (struct json_stream){
	        .file = file,
	        .rules = rules,
	        .n_rules = n_rules,
	        .block = xmalloc(BLOCK_SIZE),
	        .line = 1,
	        .line_is_blank = true,
	        .blank = true,
	};
	return o;
}

void json_stream_allow_gaps(struct json_stream *o)
{
	o->allows_gaps = true;
}

void json_stream_allow_many(struct json_stream *o)
{
	o->many = true;
}

void json_stream_destroy(struct json_stream *o)
{
	if (!o) {
		return;
	}
	free(o->block);
	buf_finish(&o->key);
	buf_finish(&o->value);
	free(o);
}

/* The next byte without taking it; -1: the end. */
static int peek(struct json_stream *o)
{
	if (o->at == o->len) {
		o->base += (off_t)o->len;
		o->at = 0;
		o->len = fread(o->block, 1, BLOCK_SIZE, o->file);
		if (o->len == 0) {
			o->why = ferror(o->file) ? "the rest is not readable" : o->why;
			return -1;
		}
		if (!o->read && byte_order_mark(o->block, o->len)) {
			o->at = byte_order_mark(o->block, o->len);
			o->line_at = (off_t)o->at;
			o->read = true;
			return peek(o);
		}
		o->read = true;
	}
	return (unsigned char)o->block[o->at];
}

static void take(struct json_stream *o)
{
	char c = o->block[o->at++];
	o->blank = c == '\n' || (o->blank && (c == ' ' || c == '\t'));
	if (c == '\n') {
		o->line++;
		o->line_at = o->base + (off_t)o->at;
	}
}

static int peek_past_space(struct json_stream *o)
{
	int c = peek(o);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
		o->line_is_blank |= c == '\n';
		take(o);
		c = peek(o);
	}
	return c;
}

static bool fail(struct json_stream *o, const char *why)
{
	o->why = o->why ? o->why : why;
	return false;
}

/* Moves the next byte to a buffer; sets *too_long if there is no room for it. */
static void append_next(struct json_stream *o, struct buf *to, bool *too_long)
{
	if (to->len == JSON_STREAM_LIMIT) {
		*too_long = true;
		buf_trim(to, 0);
	}
	if (!*too_long) {
		buf_append_char(to, o->block[o->at]);
	}
	take(o);
}

/* Finds the anchor from which reading resumes if damage is found here: the innermost enclosing
 * element that began a line. False: there is none. */
static bool find_anchor(const struct json_stream *o, unsigned *ret_depth)
{
	unsigned d = o->depth;
	while (d > 0 && !o->anchors[d].valid) {
		d--;
	}
	*ret_depth = d;
	return o->allows_gaps && o->anchors[d].valid;
}

/* Whether damage here would cost no more than the enclosing element, or the document if there is
 * no element. */
static bool is_anchored(const struct json_stream *o)
{
	unsigned d = o->depth;
	while (d > 0 && !o->levels[d - 1].is_array) {
		d--;
	}
	return o->allows_gaps && o->anchors[d].valid;
}

/* Whether there is a brace at the column where the anchor's next sibling would begin. */
static bool begins_next(const struct json_stream *o)
{
	unsigned d;
	return o->blank && o->block[o->at] == '{' && find_anchor(o, &d) &&
	       o->line > o->anchors[d].line &&
	       (size_t)(o->base + (off_t)o->at - o->line_at) == o->anchors[d].column;
}

/* Reads a string's bytes, quotes included. A string that does not end on its line is an error only
 * if resuming would lose no more than the enclosing element. Otherwise the reader of the value
 * handles it. */
static bool take_string(struct json_stream *o, struct buf *to, bool *too_long)
{
	bool escaped = false;
	append_next(o, to, too_long);
	for (int c; (c = peek(o)) >= 0;) {
		if ((c == '\n' && is_anchored(o)) || begins_next(o)) {
			return fail(o, "a string does not end on its line");
		}
		append_next(o, to, too_long);
		if (c == '"' && !escaped) {
			return true;
		}
		escaped = c == '\\' && !escaped;
	}
	return fail(o, "the document ends within a string");
}

static bool ends_scalar(int c)
{
	return c < 0 || strchr(" \t\r\n,]}:[{\"", c);
}

/* The open brackets; the kinds of the outer 64 are known. */
struct brackets {
	unsigned open;
	uint64_t braces;
};

/* Records a bracket. False: a bracket of the other kind must be closed first. */
static bool note_bracket(struct brackets *b, int c)
{
	bool brace = c == '{' || c == '}', known;
	if (c == '[' || c == '{') {
		if (b->open < 64) {
			b->braces = (b->braces & ~(UINT64_C(1) << b->open)) | (uint64_t)brace
			                                                              << b->open;
		}
		b->open++;
		return true;
	}
	b->open--;
	known = b->open < 64;
	return !known || (b->braces >> b->open & 1) == brace;
}

/* Reads a whole value. Brackets must match only if a closing one might otherwise be read as that of
 * an enclosing element. In other cases the reader of the value finds the mismatch. */
static bool take_value(struct json_stream *o, bool *too_long)
{
	struct buf *to = &o->value;
	struct brackets b = {0};
	bool anchored = is_anchored(o), matches = true;
	*too_long = false;
	buf_clear(to);
	do {
		int c = peek(o);
		if (c < 0) {
			return fail(o, "the document ends within a value");
		}
		if (c == '"') {
			if (!take_string(o, to, too_long)) {
				return false;
			}
		} else if (c && strchr("[{]}", c)) {
			if (b.open == 0 && (c == ']' || c == '}')) {
				return fail(o, "a value is missing");
			}
			matches &= note_bracket(&b, c);
			if (!matches && (anchored || begins_next(o))) {
				return fail(o, "a bracket is closed by one of another kind");
			}
			append_next(o, to, too_long);
		} else if (b.open > 0) {
			append_next(o, to, too_long);
		} else if (ends_scalar(c)) {
			return fail(o, "a value is missing");
		} else {
			while (!ends_scalar(peek(o))) {
				append_next(o, to, too_long);
			}
		}
	} while (b.open > 0);
	return true;
}

/* Whether the next value is walked into; *ret_elements: whether its elements are too. */
static bool walks_into(struct json_stream *o, int c, bool *ret_elements)
{
	const struct level *in = o->depth ? &o->levels[o->depth - 1] : NULL;
	*ret_elements = false;
	if ((c != '[' && c != '{') || o->depth == JSON_STREAM_DEPTH) {
		return false;
	}
	if (in && in->is_array) {
		return in->walks && c == '{';
	}
	for (size_t i = 0; i < o->n_rules; i++) {
		const char *key = o->rules[i].key;
		bool named = in ? key && span_is(buf_span(&o->key), key) : !key;
		if (named && (c == '[' || !o->rules[i].only_array)) {
			*ret_elements = o->rules[i].elements;
			return true;
		}
	}
	return false;
}

/* Reads a member's key and its colon. */
static bool take_key(struct json_stream *o)
{
	bool too_long = false;
	buf_clear(&o->key);
	if (peek_past_space(o) != '"') {
		return fail(o, "a member's name is missing");
	}
	if (!take_string(o, &o->key, &too_long)) {
		return false;
	}
	if (too_long) {
		return fail(o, "a member's name is too long");
	}
	buf_consume(&o->key, 1);
	o->key.len--;
	if (peek_past_space(o) != ':') {
		return fail(o, "a colon is missing");
	}
	take(o);
	return true;
}

/* Reads the separator between the values of a level. False: the level ended, or is malformed. */
static bool step(struct json_stream *o, struct json_stream_event *ret)
{
	struct level *in = &o->levels[o->depth - 1];
	int c = peek_past_space(o);
	if (c == (in->is_array ? ']' : '}')) {
		o->depth--;
		ret->type = JSON_STREAM_CLOSE;
		ret->is_array = in->is_array;
		ret->depth = o->depth;
		take(o);
		return false;
	}
	if (in->not_first && !o->resumed) {
		bool next_line = c == '{' && in->is_array && o->line_is_blank && is_anchored(o);
		if (c != ',' && !next_line) {
			return fail(o, c < 0 ? "the document ends early" : "a comma is missing");
		}
		if (c == ',') {
			o->line_is_blank = false;
			take(o);
		}
	}
	o->resumed = false;
	in->not_first = true;
	return in->is_array || take_key(o);
}

/* Sets the anchor for damage in the value that begins here. */
static void set_anchor(struct json_stream *o)
{
	bool element = o->depth ? o->levels[o->depth - 1].is_array : o->many;
	for (unsigned d = o->depth; element && d <= JSON_STREAM_DEPTH; d++) {
		o->anchors[d].valid = false;
	}
	if (element && o->line_is_blank) {
		o->anchors[o->depth] = (struct anchor){
		        .valid = true,
		        .line_at = o->line_at,
		        .line = o->line,
		        .column = (size_t)(o->base + (off_t)o->at - o->line_at),
		};
	}
	o->line_is_blank = false;
}

/* Moves to the next line that begins as the anchor's did. False: there is none. */
static bool find_line(struct json_stream *o, const struct anchor *a)
{
	if (fseeko(o->file, a->line_at, SEEK_SET) < 0) {
		return false;
	}
	o->at = o->len = 0;
	o->base = o->line_at = a->line_at;
	o->line = a->line;
	for (int c; (c = peek(o)) >= 0;) {
		size_t column = 0;
		for (; c == ' ' || c == '\t'; c = peek(o)) {
			take(o);
			column++;
		}
		if (c == '{' && column == a->column && o->line > a->line) {
			return true;
		}
		for (; c >= 0 && c != '\n'; c = peek(o)) {
			take(o);
		}
		if (c == '\n') {
			take(o);
		}
	}
	return false;
}

/* Skips damaged text. False: nothing comes after it. */
static bool resume(struct json_stream *o, struct json_stream_event *ret)
{
	const char *why = o->why;
	uint64_t line = o->line;
	unsigned d;
	bool found = find_anchor(o, &d);
	struct anchor a = o->anchors[d];
	if (!found || ferror(o->file) || o->gaps++ == JSON_STREAM_GAPS || !find_line(o, &a)) {
		o->line = line;
		return false;
	}
	*ret = (struct json_stream_event){
	        .type = JSON_STREAM_DAMAGED, .line = a.line, .depth = d, .why = why};
	o->why = NULL;
	o->depth = d;
	o->line_is_blank = o->blank = o->resumed = true;
	return true;
}

static void begin_value(struct json_stream *o, struct json_stream_event *ret)
{
	bool elements;
	int c = peek_past_space(o);
	ret->line = o->line;
	ret->key = buf_span(&o->key);
	ret->depth = o->depth;
	set_anchor(o);
	if (walks_into(o, c, &elements)) {
		o->levels[o->depth++] = (struct level){.is_array = c == '[', .walks = elements};
		ret->type = JSON_STREAM_OPEN;
		ret->is_array = c == '[';
		take(o);
		return;
	}
	if (take_value(o, &ret->too_long)) {
		ret->type = JSON_STREAM_VALUE;
		ret->value = buf_span(&o->value);
	}
}

void json_stream_next(struct json_stream *o, struct json_stream_event *ret)
{
	*ret = (struct json_stream_event){.type = JSON_STREAM_ERROR, .line = o->line};
	if (!o->why && o->depth == 0) {
		buf_clear(&o->key);
		int c = peek_past_space(o);
		if (o->begun && c < 0 && !o->why) {
			ret->type = JSON_STREAM_END;
			return;
		}
		if ((o->begun && !o->many) || c < 0) {
			fail(o, c < 0 ? "there is no document"
			              : "there is text after the document");
		} else {
			o->begun = true;
			begin_value(o, ret);
		}
	} else if (!o->why) {
		buf_clear(&o->key);
		if (step(o, ret)) {
			begin_value(o, ret);
		}
	}
	if (o->why && !resume(o, ret)) {
		*ret = (struct json_stream_event){
		        .type = JSON_STREAM_ERROR, .line = o->line, .why = o->why};
	}
}
