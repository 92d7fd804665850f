#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/json_beside.h"
#include "tests/unit/seeded.h"

static void compare(const char *data, size_t len)
{
	char *text = xmemdup(data, len); /* so that a sanitizer detects a read past the end */
	json_error_t error;
	json_t *theirs = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	json_t *ours = read_ours(text, len);
	if (theirs && ours) {
		cr_assert(json_equal(ours, theirs), "values differ: %.*s", (int)len, text);
	} else if (theirs) {
		/* jansson 2.14 loses a NUL right after a number or word. */
		cr_assert(memchr(text, '\0', len), "only jansson takes %.*s", (int)len, text);
	} else if (ours) {
		cr_assert(is_liberty(&error), "only we take %.*s (%s)", (int)len, text, error.text);
	}
	json_decref(theirs);
	json_decref(ours);
	free(text);
}

static void put_space(struct buf *to)
{
	while (below(8) == 0) {
		for (size_t n = 1 + below(20); n; n--) {
			buf_append_char(to, " \t\r\n"[below(4)]);
		}
	}
}

static void put_random_string(struct buf *to)
{
	static const char *const bits[] = {"\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t",
	        "\\u0041", "\\u00e9", "\\u20ac", "\\uD83D\\uDE00", "\xc3\xa9", "\xe2\x82\xac",
	        "\xf0\x9f\x98\x80", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\\u0000", "{", "]",
	        ",", ":", "\x7f", "\xef\xbf\xbf"};
	buf_append_char(to, '"');
	for (size_t n = below(12); n; n--) {
		if (below(2)) {
			buf_append_str(to, bits[below(ARRAY_LEN(bits))]);
		} else {
			for (size_t m = below(40); m; m--) {
				buf_append_char(
				        to, "abcdefghijklmnopqrstuvwxyz ABC0123"[below(34)]);
			}
		}
	}
	buf_append_char(to, '"');
}

static void put_random_value(struct buf *to, int depth)
{
	put_space(to);
	switch (below(depth > 0 ? 9 : 6)) {
	case 0:
		buf_append_str(to, (const char *const[]){"true", "false", "null"}[below(3)]);
		break;
	case 1:
		buf_printf(to, "%ld", (long)(rnd() >> below(64)));
		break;
	case 2:
		buf_printf(to, "%.*g", 1 + (int)below(17), -log1p(ldexp((double)rnd(), -60)));
		break;
	case 3:
		buf_printf(to, "-%u.%uE%+d", (unsigned)below(1000), (unsigned)below(1000),
		        (int)below(40) - 20);
		break;
	case 4:
	case 5:
		put_random_string(to);
		break;
	default:
		if (below(2)) {
			buf_append_char(to, '[');
			for (size_t n = below(6); n; n--) {
				put_random_value(to, depth - 1);
				buf_append_str(to, n > 1 ? "," : "");
			}
			put_space(to);
			buf_append_char(to, ']');
		} else {
			buf_append_char(to, '{');
			for (size_t n = below(6); n; n--) {
				put_space(to);
				if (below(2)) {
					buf_printf(
					        to, "\"%c\"", 'a' + (int)below(3)); /* duplicates */
				} else {
					put_random_string(to);
				}
				put_space(to);
				buf_append_char(to, ':');
				put_random_value(to, depth - 1);
				buf_append_str(to, n > 1 ? "," : "");
			}
			put_space(to);
			buf_append_char(to, '}');
		}
	}
	put_space(to);
}

static void mutate(struct buf *text)
{
	static const char *const bits[] = {"\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".",
	        "e", "\\u", "\\ud800", "\x80", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	        "\xc0\xaf", "tru", "null", " ", "\n", "\x01", "1e999", "01"};
	for (size_t n = 1 + below(3); n && text->len; n--) {
		size_t at = below(text->len);
		switch (below(4)) {
		case 0:
			text->data[at] ^= (char)(1 << below(8));
			break;
		case 1:
			memmove(text->data + at, text->data + at + 1, text->len - at - 1);
			text->len--;
			break;
		case 2:
			text->len = at;
			break;
		default: {
			const char *bit = bits[below(ARRAY_LEN(bits))];
			size_t len = strlen(bit);
			buf_reserve(text, len);
			memmove(text->data + at + len, text->data + at, text->len - at);
			memcpy(text->data + at, bit, len);
			text->len += len;
		}
		}
	}
}

Test(json_jansson, agrees_with_jansson_on_generated_documents)
{
	struct buf text = {0};
	for (int i = 0; i < 6000; i++) {
		buf_clear(&text);
		put_random_value(&text, 6);
		compare(text.data, text.len);
	}
	buf_finish(&text);
}

Test(json_jansson, agrees_with_jansson_on_damaged_documents)
{
	struct buf text = {0};
	for (int i = 0; i < 40000; i++) {
		buf_clear(&text);
		put_random_value(&text, 3);
		mutate(&text);
		compare(text.data, text.len);
	}
	buf_finish(&text);
}

Test(json_jansson, agrees_with_jansson_on_engines_answers)
{
	static const char *const names[] = {"vllm-0.32.0/chat-logprobs",
	        "mlx-lm-0.32.2/chat-logprobs", "llama-cpp-python-0.3.36/completion-logprobs",
	        "vllm-0.32.0/completion"};
	const char *dir = getenv("GOLDEN_DIR");
	cr_assert_not_null(dir);
	struct buf text = {0}, damaged = {0};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path = xasprintf("%s/%s.response", dir, names[i]);
		FILE *f = fopen(path, "rb");
		cr_assert_not_null(f, "%s", path);
		buf_clear(&text);
		text.len = fread(buf_reserve(&text, 1 << 20), 1, 1 << 20, f);
		fclose(f);
		free(path);
		const char *body = strstr(buf_cstr(&text), "\r\n\r\n");
		cr_assert_not_null(body);
		buf_consume(&text, (size_t)(body + 4 - text.data));
		compare(text.data, text.len);
		for (int n = 0; n < 300; n++) {
			buf_clear(&damaged);
			buf_append_span(&damaged, buf_span(&text));
			mutate(&damaged);
			compare(damaged.data, damaged.len);
		}
	}
	buf_finish(&text);
	buf_finish(&damaged);
}
