#include "imports/outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order_mark.h"
#include "base/mem.h"

#define BLOCK_SIZE ((size_t)64 << 10)

struct level {
	bool is_array;
	bool walks;     /* into elements */
	bool not_first; /* a comma must come before the next */
};

struct outline {
	FILE *file;
	const struct outline_rule *rules;
	size_t n_rules;
	char *block;
	size_t at, len;
	uint64_t line;
	struct level levels[OUTLINE_DEPTH];
	unsigned depth;
	bool read, begun, many;
	struct buf key, value;
	const char *why; /* sticky */
};

struct outline *outline_create(FILE *file, const struct outline_rule *rules, size_t n_rules)
{
	struct outline *o = xcalloc(1, sizeof(*o));
	*o = (struct outline){
	        .file = file,
	        .rules = rules,
	        .n_rules = n_rules,
	        .block = xmalloc(BLOCK_SIZE),
	        .line = 1,
	};
	return o;
}

void outline_allow_many(struct outline *o)
{
	o->many = true;
}

void outline_destroy(struct outline *o)
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
static int peek(struct outline *o)
{
	if (o->at == o->len) {
		o->at = 0;
		o->len = fread(o->block, 1, BLOCK_SIZE, o->file);
		if (o->len == 0) {
			o->why = ferror(o->file) ? "it can't be read further" : o->why;
			return -1;
		}
		if (!o->read && byte_order_mark(o->block, o->len)) {
			o->at = byte_order_mark(o->block, o->len);
			o->read = true;
			return peek(o);
		}
		o->read = true;
	}
	return (unsigned char)o->block[o->at];
}

static void take(struct outline *o)
{
	o->line += o->block[o->at] == '\n';
	o->at++;
}

static int peek_past_space(struct outline *o)
{
	int c = peek(o);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
		take(o);
		c = peek(o);
	}
	return c;
}

static bool fail(struct outline *o, const char *why)
{
	o->why = o->why ? o->why : why;
	return false;
}

/* Takes a byte over into what is held; false: there is no room for it. */
static void keep(struct outline *o, struct buf *to, bool *too_long)
{
	if (to->len == OUTLINE_LIMIT) {
		*too_long = true;
		buf_trim(to, 0);
	}
	if (!*too_long) {
		buf_append_char(to, o->block[o->at]);
	}
	take(o);
}

/* A string's bytes, quotes included. */
static bool take_string(struct outline *o, struct buf *to, bool *too_long)
{
	bool escaped = false;
	keep(o, to, too_long);
	for (int c; (c = peek(o)) >= 0;) {
		keep(o, to, too_long);
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

/* A whole value. Which bracket closes which is seen by whoever reads the value. */
static bool take_value(struct outline *o, bool *too_long)
{
	struct buf *to = &o->value;
	unsigned open = 0;
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
		} else if (c == '[' || c == '{') {
			open++;
			keep(o, to, too_long);
		} else if (c == ']' || c == '}') {
			if (open == 0) {
				return fail(o, "a value is missing");
			}
			open--;
			keep(o, to, too_long);
		} else if (open > 0) {
			keep(o, to, too_long);
		} else if (ends_scalar(c)) {
			return fail(o, "a value is missing");
		} else {
			while (!ends_scalar(peek(o))) {
				keep(o, to, too_long);
			}
		}
	} while (open > 0);
	return true;
}

/* Whether what comes next is walked into, and so are its elements. */
static bool walks_into(struct outline *o, int c, bool *ret_elements)
{
	const struct level *in = o->depth ? &o->levels[o->depth - 1] : NULL;
	*ret_elements = false;
	if ((c != '[' && c != '{') || o->depth == OUTLINE_DEPTH) {
		return false;
	}
	if (in && in->is_array) {
		return in->walks && c == '{';
	}
	for (size_t i = 0; i < o->n_rules; i++) {
		const char *key = o->rules[i].key;
		if (in ? key && span_is(buf_span(&o->key), key) : !key) {
			*ret_elements = o->rules[i].elements;
			return true;
		}
	}
	return false;
}

/* A member's key and its colon. */
static bool take_key(struct outline *o)
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

static void close_level(struct outline *o, struct outline_event *ret)
{
	o->depth--;
	ret->type = OUTLINE_CLOSE;
	ret->is_array = o->levels[o->depth].is_array;
	ret->depth = o->depth;
	take(o);
}

/* What separates the values of a level. False: it ended, or is malformed. */
static bool step(struct outline *o, struct outline_event *ret)
{
	struct level *in = &o->levels[o->depth - 1];
	int c = peek_past_space(o);
	if (c == (in->is_array ? ']' : '}')) {
		close_level(o, ret);
		return false;
	}
	if (in->not_first) {
		if (c != ',') {
			return fail(o, c < 0 ? "the document ends early" : "a comma is missing");
		}
		take(o);
	}
	in->not_first = true;
	return in->is_array || take_key(o);
}

static void begin_value(struct outline *o, struct outline_event *ret)
{
	bool elements;
	int c = peek_past_space(o);
	ret->line = o->line;
	ret->key = buf_span(&o->key);
	ret->depth = o->depth;
	if (walks_into(o, c, &elements)) {
		o->levels[o->depth++] = (struct level){.is_array = c == '[', .walks = elements};
		ret->type = OUTLINE_OPEN;
		ret->is_array = c == '[';
		take(o);
		return;
	}
	if (take_value(o, &ret->too_long)) {
		ret->type = OUTLINE_VALUE;
		ret->value = buf_span(&o->value);
	}
}

void outline_next(struct outline *o, struct outline_event *ret)
{
	*ret = (struct outline_event){.type = OUTLINE_ERROR, .line = o->line};
	if (!o->why && o->depth == 0) {
		buf_clear(&o->key);
		int c = peek_past_space(o);
		if (o->begun && c < 0 && !o->why) {
			ret->type = OUTLINE_END;
			return;
		}
		if ((o->begun && !o->many) || c < 0) {
			fail(o, c < 0 ? "there is no document" : "something follows the document");
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
	if (o->why) {
		*ret = (struct outline_event){
		        .type = OUTLINE_ERROR, .line = o->line, .why = o->why};
	}
}
