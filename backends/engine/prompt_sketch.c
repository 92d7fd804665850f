#include "backends/engine/prompt_sketch.h"

#include <string.h>

#include <xxhash.h>

#include "base/json.h"

#define EMPTY UINT32_MAX

static void put(uint32_t bins[PROMPT_SKETCH_BINS], const char *piece, size_t n)
{
	uint64_t hash = XXH3_64bits(piece, n);
	uint32_t *bin = &bins[hash % PROMPT_SKETCH_BINS];
	*bin = MIN(*bin, (uint32_t)(hash >> 33));
}

/* A text shorter than a piece counts as one piece. */
static void put_text(struct prompt_sketch *s, struct span text)
{
	size_t n = MIN(text.len, (size_t)PROMPT_SKETCH_PIECE);
	if (text.len == 0) {
		return;
	}
	memset(s->last, 0xff, sizeof(s->last));
	for (size_t i = 0; i + n <= text.len; i++) {
		put(s->whole, text.data + i, n);
		put(s->last, text.data + i, n);
	}
}

/* False: the value is a word of the protocol, and occurs in every request. */
static bool is_content(struct span key)
{
	static const char *const PROTOCOL_KEYS[] = {"role", "type", "name", "id", "tool_call_id"};
	for (size_t i = 0; i < ARRAY_LEN(PROTOCOL_KEYS); i++) {
		if (span_is(key, PROTOCOL_KEYS[i])) {
			return false;
		}
	}
	return true;
}

static void add_strings(struct prompt_sketch *s, struct span value)
{
	struct json j;
	struct json_token t;
	struct span key = {0};
	struct buf text = {0};
	json_init(&j, value.data, value.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_KEY) {
			key = json_token_raw(&t);
		} else if (t.type == JSON_TOKEN_STRING && is_content(key)) {
			buf_clear(&text);
			json_token_unescape(&t, &text);
			put_text(s, buf_span(&text));
		}
	}
	buf_finish(&text);
}

void prompt_sketch_make(struct span body, struct prompt_sketch *ret)
{
	static const char *const PROMPT_MEMBERS[] = {
	        "system", "instructions", "messages", "prompt", "input"};
	memset(ret, 0xff, sizeof(*ret));
	for (size_t i = 0; i < ARRAY_LEN(PROMPT_MEMBERS); i++) {
		struct json_token first;
		struct span value;
		if (json_find_member(body, PROMPT_MEMBERS[i], &first, &value)) {
			add_strings(ret, value);
		}
	}
}

static double overlap(const uint32_t a[PROMPT_SKETCH_BINS], const uint32_t b[PROMPT_SKETCH_BINS])
{
	unsigned used = 0, same = 0;
	for (size_t i = 0; i < PROMPT_SKETCH_BINS; i++) {
		used += a[i] != EMPTY || b[i] != EMPTY;
		same += a[i] != EMPTY && a[i] == b[i];
	}
	return used ? (double)same / used : 0;
}

double prompt_sketch_similarity(const struct prompt_sketch *a, const struct prompt_sketch *b)
{
	return (overlap(a->whole, b->whole) + overlap(a->last, b->last)) / 2;
}
