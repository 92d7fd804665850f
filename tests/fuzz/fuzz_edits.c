/*
 * Any bytes as a request to edit. The edited request is a JSON object, and all other bytes stay.
 * An edit list of a damaged record does no harm. The first bytes choose endpoint, dialect and
 * edits.
 */
#include <string.h>

#include "backends/injection/inject.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Allows what the client's text may already contain, such as a bare NaN. */
static bool is_object(struct span text)
{
	struct json j;
	json_init_lenient(&j, text.data, text.len);
	struct json_token t = json_next(&j);
	return t.type == JSON_TOKEN_OBJECT && json_skip(&j, &t).data &&
	       json_next(&j).type == JSON_TOKEN_END;
}

static void check(const struct edits *edits, struct span body)
{
	struct buf out = {0};
	size_t removed = 0, inserted = 0;
	for (size_t i = 0; i < edits->n; i++) {
		removed += edits->items[i].removed;
		inserted += edits->items[i].inserted.len;
	}
	expect(edits_apply(edits->items, edits->n, body, &out));
	expect(out.len == body.len - removed + inserted);
	expect(is_object(buf_span(&out)));
	buf_finish(&out);
}

/* Edits as in a damaged record: at any place, of any length, in any order. */
static void apply_damaged(const uint8_t *data, size_t size, struct span body)
{
	struct edit items[4];
	struct buf out = {0};
	for (size_t i = 0; i < ARRAY_LEN(items); i++) {
		uint64_t at = 0, removed = 0;
		memcpy(&at, data + i % size, MIN(sizeof(at), size - i % size));
		memcpy(&removed, data + size / 2, MIN(sizeof(removed), size - size / 2));
		items[i] = (struct edit){at >> (i * 16), removed >> (i * 16), SPAN("x")};
	}
	edits_apply(items, ARRAY_LEN(items), body, &out);
	expect(out.len <= body.len + ARRAY_LEN(items));
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct member_edit members[] = {
	        {"model", "\"other\""}, {"seed", NULL}, {"temperature", "0"}, {"", "1"}};
	if (size < 4) {
		return 0;
	}
	struct span body = {(const char *)data + 3, size - 3};
	enum endpoint endpoint = data[0] & 1 ? ENDPOINT_CHAT : ENDPOINT_COMPLETION;
	struct request_facts facts;
	struct injection injected = {0};
	struct edits edits = {0};
	request_read(endpoint, body, &facts);
	const struct injection want = {.logprobs = data[0] & 2,
	        .usage = data[0] & 4,
	        .top = data[1] % 21,
	        .token_ids = data[0] & 8};
	const struct dialect *d = data[0] & 8 ? dialect_find("vllm") : NULL;
	const struct injectable r = {d, endpoint, &facts, body};
	if (inject_request(&r, &want, &edits, &injected)) {
		check(&edits, body);
	}
	edits_finish(&edits);
	edits = (struct edits){0};
	if (inject_copy(
	            &r, &want, members, data[2] % (ARRAY_LEN(members) + 1), &edits, &injected)) {
		check(&edits, body);
	}
	edits_finish(&edits);
	apply_damaged(data, size, body);
	return 0;
}
