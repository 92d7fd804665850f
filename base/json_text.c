/*
 * json_text - decodes and encodes JSON strings, and finds members by name.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "base/utf8.h"

struct span json_token_raw(const struct json_token *t)
{
	if (t->len < 2 || (t->type != JSON_TOKEN_STRING && t->type != JSON_TOKEN_KEY)) {
		return (struct span){0};
	}
	return (struct span){t->start + 1, t->len - 2};
}

/* Decodes the escape at *p, which the reader has checked, and moves *p past it. */
static size_t unescape_one(const char **p, const char *end, char to[4])
{
	static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
	char c = (*p)[1];
	if (c != 'u') {
		const char *found = memchr(from, c, sizeof(from) - 1);
		to[0] = found ? into[found - from] : c;
		*p += 2;
		return 1;
	}
	uint32_t code = hex_quad(*p + 2);
	*p += 6;
	if (code >= 0xd800 && code <= 0xdfff) {
		uint32_t low = 0;
		if (code <= 0xdbff && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
			low = hex_quad(*p + 2);
		}
		if (low >= 0xdc00 && low <= 0xdfff) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			*p += 6;
		} else {
			code = 0xfffd;
		}
	}
	return utf8_put(code, to);
}

static bool text_is(const struct json_token *t, const char *s)
{
	struct span raw = json_token_raw(t);
	if (!raw.data) {
		return false;
	}
	if (!t->escaped) {
		return strncmp(s, raw.data, raw.len) == 0 && s[raw.len] == '\0';
	}
	size_t left = strlen(s);
	const char *p = raw.data, *end = p + raw.len;
	while (p < end) {
		char bytes[4];
		size_t n = 1;
		if (*p == '\\') {
			n = unescape_one(&p, end, bytes);
		} else {
			bytes[0] = *p++;
		}
		if (left < n || memcmp(s, bytes, n) != 0) {
			return false;
		}
		s += n;
		left -= n;
	}
	return left == 0;
}

bool json_token_is_key(const struct json_token *t, const char *name)
{
	return t->type == JSON_TOKEN_KEY && text_is(t, name);
}

bool json_token_is_string(const struct json_token *t, const char *s)
{
	return t->type == JSON_TOKEN_STRING && text_is(t, s);
}

static bool is_half(uint32_t code, uint32_t first)
{
	return code >= first && code < first + 0x400;
}

/* Whether the escape [p, after) is half of a surrogate pair, and the other half cannot follow. */
static bool is_lone(const char *p, const char *after, const char *end)
{
	uint32_t code = p[1] == 'u' && after - p == 6 ? hex_quad(p + 2) : 0;
	return is_half(code, 0xdc00) || (is_half(code, 0xd800) && after < end);
}

/* True: it has a lone half. */
static bool unescape(const struct json_token *t, struct buf *to)
{
	struct span raw = json_token_raw(t);
	bool lone = false;
	if (!t->escaped) {
		buf_append_span(to, raw);
		return false;
	}
	/* No escape is shorter than the character that it encodes. */
	char *out = buf_reserve(to, raw.len + 4);
	const char *p = raw.data, *end = p + raw.len;
	while (p < end) {
		if (*p == '\\') {
			const char *escape = p;
			out += unescape_one(&p, end, out);
			lone |= is_lone(escape, p, end);
		} else {
			const char *next = memchr(p, '\\', (size_t)(end - p));
			size_t n = (size_t)((next ? next : end) - p);
			memcpy(out, p, n);
			out += n;
			p += n;
		}
	}
	to->len = (size_t)(out - to->data);
	return lone;
}

void json_token_unescape(const struct json_token *t, struct buf *to)
{
	(void)unescape(t, to);
}

/* The first half of a surrogate pair at the end of an escaped string; 0: none. */
static uint16_t half_at_end(struct span raw)
{
	const size_t n = sizeof("\\uXXXX") - 1;
	size_t slashes = 0;
	if (raw.len < n) {
		return 0;
	}
	const char *p = raw.data + raw.len - n;
	while (slashes <= raw.len - n && *(p - slashes) == '\\') {
		slashes++;
	}
	uint32_t code = slashes % 2 && p[1] == 'u' ? hex_quad(p + 2) : 0;
	return is_half(code, 0xd800) ? (uint16_t)code : 0;
}

bool json_token_unescape_piece(const struct json_token *t, uint16_t *half, struct buf *to)
{
	const size_t n = JSON_LONE_HALF_SIZE;
	struct span raw = json_token_raw(t);
	struct json_token rest = *t;
	if (raw.len == 0) {
		return false; /* the second half may still follow */
	}
	bool unit = *half && raw.len >= 6 && raw.data[0] == '\\' && raw.data[1] == 'u';
	uint32_t low = unit ? hex_quad(raw.data + 2) : 0;
	bool joins = is_half(low, 0xdc00) && to->len >= n &&
	             memcmp(to->data + to->len - n, JSON_LONE_HALF, n) == 0;
	bool lone = *half && !joins;
	if (joins) {
		to->len -= n;
		char *out = buf_reserve(to, 4);
		to->len += utf8_put(0x10000 + ((*half - 0xd800u) << 10) + (low - 0xdc00), out);
		rest.start += 6;
		rest.len -= 6;
	}
	lone |= unescape(&rest, to);
	*half = t->escaped ? half_at_end(raw) : 0;
	return lone;
}

char *json_token_dup(const struct json_token *t)
{
	struct buf text = {0};
	json_token_unescape(t, &text);
	return buf_steal(&text);
}

/* Finds a member of the object that j begins with, and reads the text to its end: it must be one
 * whole document. */
static bool find_member(
        struct json *j, const char *name, struct json_token *ret_value, struct span *ret_span)
{
	struct json_member m, last = {0};
	bool found = false;
	if (json_next(j).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while (json_next_member(j, &m)) {
		if (json_token_is_key(&m.key, name)) {
			last = m;
			found = true;
		}
	}
	if (m.key.type != JSON_TOKEN_OBJECT_END || json_next(j).type != JSON_TOKEN_END || !found) {
		return false;
	}
	*ret_value = last.first;
	*ret_span = last.value;
	return true;
}

bool json_find_lenient(
        struct span object, const char *name, struct json_token *ret_value, struct span *ret_span)
{
	struct json j;
	json_init_lenient(&j, object.data, object.len);
	return find_member(&j, name, ret_value, ret_span);
}

bool json_find(struct span text, const char *const *path, size_t depth,
        struct json_token *ret_value, struct span *ret_span)
{
	struct json_token value;
	struct span span = text;
	expect(depth > 0);
	for (size_t i = 0; i < depth; i++) {
		struct json j;
		json_init(&j, span.data, span.len);
		if (!find_member(&j, path[i], &value, &span)) {
			return false;
		}
	}
	*ret_value = value;
	if (ret_span) {
		*ret_span = span;
	}
	return true;
}

bool json_find_text(struct span text, const char *const *path, size_t depth, struct buf *to)
{
	struct json_token t;
	buf_clear(to);
	if (!json_find(text, path, depth, &t, NULL) || t.type != JSON_TOKEN_STRING) {
		return false;
	}
	json_token_unescape(&t, to);
	return true;
}

/* Appends the character as one \u escape, or as the two of its surrogates. */
static void put_escape(struct buf *to, uint32_t code)
{
	if (code >= 0x10000) {
		put_escape(to, 0xd800 + ((code - 0x10000) >> 10));
		code = 0xdc00 + ((code - 0x10000) & 0x3ff);
	}
	buf_printf(to, "\\u%04x", code);
}

static void put_string(struct buf *to, struct span s, bool ascii)
{
	static const char from[] = "\b\f\n\r\t", into[] = "bfnrt";
	const char *p = s.data, *end = p ? p + s.len : p;
	buf_append_char(to, '"');
	while (p < end) {
		const char *stop = p;
		while (stop < end && *stop != '"' && *stop != '\\' && (signed char)*stop >= ' ') {
			stop++;
		}
		buf_append(to, p, (size_t)(stop - p));
		p = stop;
		if (p == end) {
			break;
		}
		if (*p & 0x80) {
			uint32_t code = 0xfffd;
			size_t n = utf8_get(p, end, &code);
			if (ascii) {
				put_escape(to, code);
			} else if (n) {
				buf_append(to, p, n);
			} else {
				buf_append(to, "\xef\xbf\xbd", 3);
			}
			p += MAX(n, (size_t)1);
			continue;
		}
		const char *found = memchr(from, *p, sizeof(from) - 1);
		char escape[6] = {
		        '\\', *p, '0', '0', HEX_DIGITS[*p >> 4 & 0xf], HEX_DIGITS[*p & 0xf]};
		size_t n = 2;
		if (found) {
			escape[1] = into[found - from];
		} else if (*p != '"' && *p != '\\') {
			escape[1] = 'u';
			n = 6;
		}
		buf_append(to, escape, n);
		p++;
	}
	buf_append_char(to, '"');
}

void json_put_string(struct buf *to, struct span s)
{
	put_string(to, s, false);
}

void json_put_ascii_string(struct buf *to, struct span s)
{
	put_string(to, s, true);
}

void json_put_on_one_line(struct buf *to, struct span document)
{
	size_t from = to->len;
	buf_append_span(to, document);
	for (size_t i = from; i < to->len; i++) {
		if (to->data[i] == '\n' || to->data[i] == '\r') {
			to->data[i] = ' ';
		}
	}
}
