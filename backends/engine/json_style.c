#include "backends/engine/json_style.h"

#include <string.h>

#include "base/json.h"

/* Writes a comma before a value, unless it is the first of its container or follows a key. */
static void separate(struct json_style *p)
{
	char last = p->to->len ? p->to->data[p->to->len - 1] : '{';
	if (last == '{' || last == '[' || last == ':') {
		return;
	}
	if (last == ' ' && p->to->len > 1 && p->to->data[p->to->len - 2] == ':') {
		return;
	}
	buf_append_str(p->to, p->style == ENGINE_JSON_COMPACT ? "," : ", ");
}

static void begin_value(struct json_style *p, const char *key)
{
	separate(p);
	if (key) {
		buf_append_char(p->to, '"');
		buf_append_str(p->to, key);
		buf_append_str(p->to, p->style == ENGINE_JSON_COMPACT ? "\":" : "\": ");
	}
}

void json_style_open(struct json_style *p, const char *key, char bracket)
{
	begin_value(p, key);
	buf_append_char(p->to, bracket);
}

void json_style_close(struct json_style *p, const char *brackets)
{
	buf_append_str(p->to, brackets);
}

static void put_ascii(struct buf *to, struct span value)
{
	struct buf plain = {0};
	json_put_string(&plain, value);
	for (size_t i = 0; i < plain.len;) {
		uint8_t c = (uint8_t)plain.data[i];
		if (c < 0x80) {
			buf_append_char(to, plain.data[i++]);
			continue;
		}
		size_t n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		uint32_t code = c & (0xffu >> (n + 1));
		for (size_t k = 1; k < n; k++) {
			code = code << 6 | ((uint8_t)plain.data[i + k] & 0x3f);
		}
		if (code >= 0x10000) {
			buf_printf(to, "\\u%04x", 0xd800 + ((code - 0x10000) >> 10));
			code = 0xdc00 + ((code - 0x10000) & 0x3ff);
		}
		buf_printf(to, "\\u%04x", code);
		i += n;
	}
	buf_finish(&plain);
}

static void put_string(struct json_style *p, struct span value)
{
	if (p->style == ENGINE_JSON_ASCII) {
		put_ascii(p->to, value);
	} else {
		json_put_string(p->to, value);
	}
}

void json_style_member(struct json_style *p, struct span name)
{
	separate(p);
	put_string(p, name);
	buf_append_str(p->to, p->style == ENGINE_JSON_COMPACT ? ":" : ": ");
}

void json_style_string(struct json_style *p, const char *key, struct span value)
{
	begin_value(p, key);
	put_string(p, value);
}

void json_style_integer(struct json_style *p, const char *key, int64_t value)
{
	begin_value(p, key);
	buf_append_str(p->to, value < 0 ? "-" : "");
	buf_append_number(p->to, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_style_number(struct json_style *p, const char *key, double value)
{
	begin_value(p, key);
	json_put_number(p->to, value);
}

void json_style_word(struct json_style *p, const char *key, const char *word)
{
	begin_value(p, key);
	buf_append_str(p->to, word);
}

void json_style_bytes(struct json_style *p, const char *key, struct span bytes)
{
	json_style_open(p, key, '[');
	for (size_t i = 0; i < bytes.len; i++) {
		json_style_integer(p, NULL, (uint8_t)bytes.data[i]);
	}
	json_style_close(p, "]");
}
