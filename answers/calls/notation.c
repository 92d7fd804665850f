#include "answers/calls/notation.h"

#include "base/json.h"
#include "base/utf8.h"

#define DEPTH_LIMIT 16

void notation_put_key(struct buf *to, struct span key)
{
	if (to->len && to->data[to->len - 1] != '{') {
		buf_append_char(to, ',');
	}
	json_put_string(to, key);
	buf_append_char(to, ':');
}

void notation_put_value(struct buf *to, struct span value)
{
	struct json j;
	struct json_token t = json_begin(&j, value);
	struct span whole = json_skip(&j, &t);
	if (t.type != JSON_TOKEN_STRING && whole.len && json_next(&j).type == JSON_TOKEN_END) {
		buf_append_span(to, whole);
	} else {
		json_put_string(to, value);
	}
}

static bool is_name(char c)
{
	return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

static struct span take_name(struct cursor *at)
{
	const char *from = at->p;
	while (at->p < at->end && is_name(*at->p)) {
		at->p++;
	}
	return (struct span){from, (size_t)(at->p - from)};
}

/* Writes the JSON value for a word of another notation. False: the word is unknown. */
static bool put_word(struct buf *to, struct span word)
{
	static const struct {
		const char *word, *json;
	} words[] = {{"True", "true"}, {"False", "false"}, {"None", "null"}, {"true", "true"},
	        {"false", "false"}, {"null", "null"}};
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (span_is(word, words[i].word)) {
			buf_append_str(to, words[i].json);
			return true;
		}
	}
	return false;
}

static bool put_number(struct buf *to, struct span number)
{
	struct json j;
	if (json_begin(&j, number).type != JSON_TOKEN_NUMBER ||
	        json_next(&j).type != JSON_TOKEN_END) {
		return false;
	}
	buf_append_span(to, number);
	return true;
}

/* Reads the n hexadecimal digits of a character. False: there are fewer, or they state half a
 * surrogate pair or no character, and at is unchanged. */
static bool read_code(struct cursor *at, int n, struct buf *text)
{
	uint32_t code = 0;
	for (int i = 0; i < n; i++) {
		int digit = i < at->end - at->p ? hex_digit(at->p[i]) : -1;
		if (digit < 0) {
			return false;
		}
		code = code << 4 | (uint32_t)digit;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
		return false; /* U+FFFD for all of these would make unlike texts equal */
	}
	at->p += n;
	text->len += utf8_put(code, buf_reserve(text, 4));
	return true;
}

/* Reads an escape, whose backslash is passed, and writes the character that it stands for. */
static void read_escaped(struct cursor *at, struct buf *text)
{
	char c = *at->p++;
	switch (c) {
	case 'n':
		buf_append_char(text, '\n');
		return;
	case 't':
		buf_append_char(text, '\t');
		return;
	case 'r':
		buf_append_char(text, '\r');
		return;
	case '\\':
	case '\'':
	case '"':
		buf_append_char(text, c);
		return;
	default:
		break;
	}
	int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
	if (digits == 0 || !read_code(at, digits, text)) {
		buf_append_char(text, '\\');
		buf_append_char(text, c);
	}
}

static bool read_python_string(struct cursor *at, struct buf *to)
{
	struct buf text = {0};
	char quote = *at->p++;
	while (at->p < at->end && *at->p != quote) {
		if (*at->p == '\\' && at->end - at->p > 1) {
			at->p++;
			read_escaped(at, &text);
		} else {
			buf_append_char(&text, *at->p++);
		}
	}
	bool closed = at->p < at->end;
	at->p += closed;
	json_put_string(to, buf_span(&text));
	buf_finish(&text);
	return closed;
}

static bool read_python(struct cursor *at, struct buf *to, int depth);

static bool read_python_list(struct cursor *at, struct buf *to, const char *close, int depth)
{
	at->p++;
	buf_append_char(to, '[');
	for (bool first = true; !cursor_accept_next(at, close); first = false) {
		if (!first && !cursor_accept_next(at, ",")) {
			return false;
		}
		if (!first && cursor_accept_next(at, close)) {
			break;
		}
		buf_append_str(to, first ? "" : ",");
		if (!read_python(at, to, depth)) {
			return false;
		}
	}
	buf_append_char(to, ']');
	return true;
}

static bool read_python_dict(struct cursor *at, struct buf *to, int depth)
{
	at->p++;
	buf_append_char(to, '{');
	for (bool first = true; !cursor_accept_next(at, "}"); first = false) {
		if (!first && !cursor_accept_next(at, ",")) {
			return false;
		}
		if (!first && cursor_accept_next(at, "}")) {
			break;
		}
		buf_append_str(to, first ? "" : ",");
		cursor_skip_blanks(at);
		bool is_string = at->p < at->end && (*at->p == '"' || *at->p == '\'');
		if (!is_string || !read_python_string(at, to) || !cursor_accept_next(at, ":")) {
			return false;
		}
		buf_append_char(to, ':');
		if (!read_python(at, to, depth)) {
			return false;
		}
	}
	buf_append_char(to, '}');
	return true;
}

/* Reads a literal. */
static bool read_python(struct cursor *at, struct buf *to, int depth)
{
	cursor_skip_blanks(at);
	if (at->p == at->end || depth == DEPTH_LIMIT) {
		return false;
	}
	switch (*at->p) {
	case '"':
	case '\'':
		return read_python_string(at, to);
	case '[':
		return read_python_list(at, to, "]", depth + 1);
	case '(':
		return read_python_list(at, to, ")", depth + 1);
	case '{':
		return read_python_dict(at, to, depth + 1);
	default:
		break;
	}
	const char *from = at->p;
	while (at->p < at->end && (is_name(*at->p) || *at->p == '+')) {
		at->p++;
	}
	struct span word = {from, (size_t)(at->p - from)};
	return word.len && (put_word(to, word) || put_number(to, word));
}

bool notation_python_call(struct cursor *at, struct span *ret_name, struct buf *to)
{
	*ret_name = take_name(at);
	if (ret_name->len == 0 || !cursor_accept(at, "(")) {
		return false;
	}
	buf_append_char(to, '{');
	for (bool first = true; !cursor_accept_next(at, ")"); first = false) {
		if (!first && !cursor_accept_next(at, ",")) {
			return false;
		}
		if (!first && cursor_accept_next(at, ")")) {
			break;
		}
		cursor_skip_blanks(at);
		struct span key = take_name(at);
		if (key.len == 0 || !cursor_accept_next(at, "=")) {
			return false;
		}
		notation_put_key(to, key);
		if (!read_python(at, to, 0)) {
			return false;
		}
	}
	buf_append_char(to, '}');
	return true;
}

static bool read_gemma(struct cursor *at, const struct gemma *g, struct buf *to, int depth);

static bool read_gemma_object(struct cursor *at, const struct gemma *g, struct buf *to, int depth)
{
	buf_append_char(to, '{');
	for (bool first = true; !cursor_accept_next(at, "}"); first = false) {
		if (!first && !cursor_accept_next(at, ",")) {
			return false;
		}
		cursor_skip_blanks(at);
		bool is_marked = cursor_accept(at, g->mark);
		struct span key = take_name(at);
		if (key.len == 0 || (is_marked && !cursor_accept(at, g->mark)) ||
		        !cursor_accept_next(at, ":")) {
			return false;
		}
		notation_put_key(to, key);
		if (!read_gemma(at, g, to, depth)) {
			return false;
		}
	}
	buf_append_char(to, '}');
	return true;
}

static bool read_gemma_list(struct cursor *at, const struct gemma *g, struct buf *to, int depth)
{
	buf_append_char(to, '[');
	for (bool first = true; !cursor_accept_next(at, "]"); first = false) {
		if (!first && !cursor_accept_next(at, ",")) {
			return false;
		}
		buf_append_str(to, first ? "" : ",");
		if (!read_gemma(at, g, to, depth)) {
			return false;
		}
	}
	buf_append_char(to, ']');
	return true;
}

static bool read_gemma(struct cursor *at, const struct gemma *g, struct buf *to, int depth)
{
	struct span value;
	cursor_skip_blanks(at);
	if (depth == DEPTH_LIMIT) {
		return false;
	}
	if (cursor_accept(at, g->mark)) {
		bool closed = cursor_until(at, g->mark, &value);
		if (closed && g->typed) {
			notation_put_value(to, value);
		} else if (closed) {
			json_put_string(to, value);
		}
		return closed;
	}
	if (cursor_accept(at, "{")) {
		return read_gemma_object(at, g, to, depth + 1);
	}
	if (cursor_accept(at, "[")) {
		return read_gemma_list(at, g, to, depth + 1);
	}
	const char *from = at->p;
	while (at->p < at->end && *at->p != ',' && *at->p != '}' && *at->p != ']' &&
	        *at->p != '<') {
		at->p++;
	}
	value = span_trim((struct span){from, (size_t)(at->p - from)});
	if (value.len && !put_word(to, value) && !put_number(to, value)) {
		json_put_string(to, value);
	}
	return value.len > 0;
}

bool notation_gemma_object(struct cursor *at, const struct gemma *g, struct buf *to)
{
	return cursor_accept(at, "{") && read_gemma_object(at, g, to, 0);
}
