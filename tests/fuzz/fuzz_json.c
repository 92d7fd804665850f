/*
 * Any text. The reader ends, and its tokens are in the text in order. Skipping a value ends where
 * reading it ends. An accepted text, written by our writers, reads the same.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies a document by reading and writing it; returns whether the reader accepted it. */
static bool copy(const char *text, size_t len, bool lenient, struct buf *to)
{
	struct json j;
	struct buf string = {0};
	const char *last = text;
	if (lenient) {
		json_init_lenient(&j, text, len);
	} else {
		json_init(&j, text, len);
	}
	bool comma = false;
	for (;;) {
		struct json_token t = json_next(&j);
		if (t.type == JSON_TOKEN_ERROR || t.type == JSON_TOKEN_END) {
			expect(json_next(&j).type == t.type);
			expect((t.type == JSON_TOKEN_ERROR) == (j.error != NULL) &&
			        j.error_at <= len);
			buf_finish(&string);
			return t.type == JSON_TOKEN_END;
		}
		expect(t.start >= last && t.len > 0 && t.start + t.len <= text + len);
		last = t.start + t.len;
		bool closes = t.type == JSON_TOKEN_OBJECT_END || t.type == JSON_TOKEN_ARRAY_END;
		if (comma && !closes) {
			buf_append_char(to, ',');
		}
		comma = t.type != JSON_TOKEN_OBJECT && t.type != JSON_TOKEN_ARRAY &&
		        t.type != JSON_TOKEN_KEY;
		if (t.type == JSON_TOKEN_KEY || t.type == JSON_TOKEN_STRING) {
			buf_clear(&string);
			json_token_unescape(&t, &string);
			json_put_string(to, buf_span(&string));
			expect(memchr(buf_cstr(&string), '\0', string.len) ||
			        t.type != JSON_TOKEN_KEY ||
			        json_token_is_key(&t, buf_cstr(&string)));
			if (t.type == JSON_TOKEN_KEY) {
				buf_append_char(to, ':');
			}
		} else if (t.type == JSON_TOKEN_NUMBER) {
			int64_t integer;
			json_put_number(to, json_token_number(&t));
			expect(!json_token_integer(&t, &integer) ||
			        (double)integer == json_token_number(&t));
		} else {
			buf_append(to, t.start, t.len);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const path[] = {"a", "b"};
	const char *text = (const char *)data;
	struct buf once = {0}, twice = {0};
	bool strict = copy(text, size, false, &once);
	buf_clear(&once);
	bool lenient = copy(text, size, true, &once);
	expect(lenient || !strict);
	if (lenient) {
		expect(copy(once.data, once.len, false, &twice));
		expect(span_equal(buf_span(&once), buf_span(&twice)));
	}
	struct json j;
	json_init(&j, text, size);
	struct json_token t = json_next(&j), found;
	struct span whole = json_skip(&j, &t), member;
	expect(!strict || (whole.data && json_next(&j).type == JSON_TOKEN_END));
	if (whole.data) {
		json_init(&j, text, size);
		t = json_next(&j);
		struct span passed = json_skip_unchecked(&j, &t);
		expect(span_equal(passed, whole));
		expect(!strict || json_next(&j).type == JSON_TOKEN_END);
	}
	if (json_find((struct span){text, size}, path, 2, &found, &member)) {
		expect(strict && member.data == found.start &&
		        member.data + member.len <= text + size);
	}
	buf_finish(&once);
	buf_finish(&twice);
	return 0;
}
