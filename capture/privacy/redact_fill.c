#include "capture/privacy/redact_fill.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

_Static_assert(REDACT_KEY_SIZE == crypto_shorthash_KEYBYTES, "a key of SipHash");

static uint64_t next_state(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t state, const char *in, size_t n)
{
	uint8_t block[sizeof(state) + 4] = {0};
	uint64_t hash;
	memcpy(block, &state, sizeof(state));
	memcpy(block + sizeof(state), in, n);
	crypto_shorthash((uint8_t *)&hash, block, sizeof(state) + n, key);
	return hash;
}

size_t redact_fill_one(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, const char *in, size_t n, char *out)
{
	static const char *const SIGNS[] = {"", "", "\xc2\xb7", "\xe2\x80\xa2", "\xf0\x9f\x94\x92"};
	size_t len = utf8_length(in, in + n);
	len = len ? len : 1;
	*state = next_state(key, *state, in, len);
	if (len > 1) {
		memcpy(out, SIGNS[len], len);
	} else if ((unsigned char)*in >= 0x80) {
		*out = '?'; /* no character: part of a token, or invalid UTF-8 */
	} else if (*in == '"' || *in == '\\' || *in == '/') {
		*out = '/';
	} else if (*in <= ' ' || *in == 0x7f) {
		*out = *in;
	} else {
		*out = (char)('A' + *state % 26);
	}
	return len;
}

void redact_fill(const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out)
{
	for (size_t i = 0; i < in.len;) {
		i += redact_fill_one(key, state, in.data + i, in.len - i, out + i);
	}
}

void redact_fill_digits(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out)
{
	for (size_t i = 0; i < in.len; i++) {
		bool digit = in.data[i] >= '0' && in.data[i] <= '9';
		*state = next_state(key, *state, in.data + i, 1);
		out[i] = digit ? (char)('1' + *state % 9) : in.data[i];
	}
}

/* Returns the code unit of the \uXXXX at raw, or -1. */
static int32_t unit_of(struct span raw)
{
	const char *end = raw.data + raw.len;
	if (raw.len < 6 || raw.data[0] != '\\' || raw.data[1] != 'u') {
		return -1;
	}
	int high = hex_byte(raw.data + 2, end), low = hex_byte(raw.data + 4, end);
	return high < 0 || low < 0 ? -1 : high << 8 | low;
}

size_t redact_decode_one(struct span raw, char text[4], size_t *ret_n)
{
	static const char FROM[] = "bfnrt", TO[] = "\b\f\n\r\t";
	*ret_n = 1;
	text[0] = raw.data[0];
	if (raw.data[0] != '\\' || raw.len == 1) {
		size_t len = utf8_length(raw.data, raw.data + raw.len);
		*ret_n = len ? len : 1;
		memcpy(text, raw.data, *ret_n);
		return *ret_n;
	}
	int32_t unit = unit_of(raw);
	if (unit < 0) {
		const char *p = raw.data[1] ? strchr(FROM, raw.data[1]) : NULL;
		text[0] = p ? TO[p - FROM] : raw.data[1];
		return 2;
	}
	int32_t low = unit_of((struct span){raw.data + 6, raw.len - 6});
	bool pair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;
	uint32_t code =
	        pair ? 0x10000 + (((uint32_t)unit - 0xd800) << 10) + ((uint32_t)low - 0xdc00)
	             : (uint32_t)unit;
	bool alone = !pair && unit >= 0xd800 && unit < 0xe000;
	*ret_n = utf8_put(alone ? 0xfffd : code, text);
	return pair ? 12 : 6;
}

static void put_hex(char *raw, uint32_t unit)
{
	for (int i = 0; i < 4; i++) {
		raw[2 + i] = HEX_DIGITS[unit >> (12 - 4 * i) & 15];
	}
}

static void write_escaped(char *raw, size_t len, const char *text, size_t n)
{
	uint32_t code = 0;
	if (len == n) {
		memcpy(raw, text, n);
	} else if (len == 2) {
		/* a slash: the filler does not change characters that have another short escape */
		raw[1] = *text;
	} else if (utf8_get(text, text + n, &code) == n && len == 6) {
		put_hex(raw, code);
	} else if (code >= 0x10000) {
		put_hex(raw, 0xd800 + ((code - 0x10000) >> 10));
		put_hex(raw + 6, 0xdc00 + ((code - 0x10000) & 0x3ff));
	}
}

/* Finds the next number of an array and moves *at past it. False: there are no more. */
static bool next_number(struct span raw, size_t *at, size_t *ret_from, unsigned *ret_value)
{
	size_t p = *at;
	while (p < raw.len && (raw.data[p] < '0' || raw.data[p] > '9')) {
		p++;
	}
	*ret_from = p;
	*ret_value = 0;
	for (; p < raw.len && raw.data[p] >= '0' && raw.data[p] <= '9'; p++) {
		*ret_value = MIN(*ret_value * 10 + (unsigned)(raw.data[p] - '0'), 255u);
	}
	*at = p;
	return p > *ret_from;
}

void redact_decode(enum redact_spelling how, struct span raw, struct buf *to)
{
	size_t at = 0, from, n;
	unsigned value;
	char text[4];
	switch (how) {
	case REDACT_PLAIN:
		buf_append_span(to, raw);
		break;
	case REDACT_ESCAPED:
		while (at < raw.len) {
			const struct span rest = {raw.data + at, raw.len - at};
			const char *escape = memchr(rest.data, '\\', rest.len);
			size_t plain = escape ? (size_t)(escape - rest.data) : rest.len;
			buf_append(to, rest.data, plain);
			at += plain;
			if (escape) {
				at += redact_decode_one(
				        (struct span){escape, rest.len - plain}, text, &n);
				buf_append(to, text, n);
			}
		}
		break;
	case REDACT_BYTES:
		while (next_number(raw, &at, &from, &value)) {
			buf_append_char(to, (char)value);
		}
		break;
	}
}

static void encode_escaped(char *raw, size_t len, const char *text)
{
	char was[4];
	size_t n;
	for (size_t at = 0; at < len; text += n) {
		size_t taken = redact_decode_one((struct span){raw + at, len - at}, was, &n);
		if (memcmp(was, text, n) != 0) {
			write_escaped(raw + at, taken, text, n);
		}
		at += taken;
	}
}

static void encode_bytes(char *raw, size_t len, const char *text)
{
	size_t at = 0, from;
	unsigned value;
	for (; next_number((struct span){raw, len}, &at, &from, &value); text++) {
		char digits[8];
		if (value == (unsigned char)*text) {
			continue;
		}
		int n = snprintf(digits, sizeof(digits), "%u", (unsigned)(unsigned char)*text);
		for (size_t i = 0; i < at - from; i++) {
			raw[from + i] = ' ';
		}
		memcpy(raw + from, digits, MIN((size_t)n, at - from));
	}
}

void redact_encode(enum redact_spelling how, char *raw, size_t len, const char *text)
{
	switch (how) {
	case REDACT_PLAIN:
		memcpy(raw, text, len);
		break;
	case REDACT_ESCAPED:
		encode_escaped(raw, len, text);
		break;
	case REDACT_BYTES:
		encode_bytes(raw, len, text);
		break;
	}
}
