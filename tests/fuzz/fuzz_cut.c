/*
 * The first bytes choose the kind, the injected members and the split; the rest is a body or a
 * stream. Kept bytes are identical, a cut body is JSON and not longer, and the split of a stream
 * does not matter.
 */
#include <string.h>

#include "backends/injection/cut_stream.h"
#include "backends/injection/signature.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_object(struct span text)
{
	struct json j;
	json_init_lenient(&j, text.data, text.len);
	struct json_token t = json_next(&j);
	return t.type == JSON_TOKEN_OBJECT && json_skip(&j, &t).data &&
	       json_next(&j).type == JSON_TOKEN_END;
}

static void check_json(struct span body, const struct injection *injected, struct kind kind)
{
	struct buf out = {0};
	enum cut cut = cut_json(body, injected, kind, &out);
	struct span left = buf_span(&out);
	switch (cut) {
	case CUT_KEPT:
		expect(span_equal(left, body));
		break;
	case CUT_FAILED:
		expect(span_equal(left, body) && !is_object(body));
		break;
	case CUT_DONE: {
		expect(is_object(left) || !is_object(body));
		/* A second cut finds nothing. */
		struct buf again = {0};
		expect(cut_json(left, injected, kind, &again) != CUT_DONE);
		buf_finish(&again);
	}
	}
	buf_finish(&out);
}

static void run(struct span body, const struct injection *injected, struct kind kind, size_t limit,
        size_t step, struct buf *out, bool *ret_uncut)
{
	struct cut_stream *c = cut_stream_create(injected, kind, limit);
	*ret_uncut = false;
	for (size_t at = 0; at < body.len; at += step) {
		cut_stream_feed(c, body.data + at, MIN(step, body.len - at), out, ret_uncut);
		expect(cut_stream_held(c) <= 2 * limit);
	}
	cut_stream_end(c, out, ret_uncut);
	cut_stream_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4) {
		return 0;
	}
	struct span body = {(const char *)data + 4, size - 4};
	struct kind kind = {data[0] & 3, data[0] >> 2 & 3, "", data[0] & 0x20};
	if (data[0] & 0x10) {
		strcpy(kind.tail, "tail");
	}
	kind.token_ids = data[0] >> 6 & 3;
	struct injection injected = {
	        .logprobs = data[1] & 1, .usage = data[1] & 2, .top = 5, .token_ids = data[1] & 64};
	size_t limit = data[1] & 4 ? data[3] : 65536;
	struct request_facts facts = {
	        .has_logprobs = data[1] & 8, .has_stream_options = data[1] & 16};
	check_json(body, &injected, kind);

	struct buf whole = {0}, split = {0};
	bool whole_uncut, split_uncut;
	run(body, &injected, kind, limit, body.len + 1, &whole, &whole_uncut);
	run(body, &injected, kind, limit, data[2] + 1u, &split, &split_uncut);
	expect(span_equal(buf_span(&whole), buf_span(&split)) && whole_uncut == split_uncut);

	struct signature signature;
	if (signature_of_answer(data[3], body, data[1] & 32, &signature)) {
		expect(signature.style < SIGNATURE_STYLES && signature.form >> 32 == data[3]);
	}
	kind = kind_of_answer(body, data[1] & 32, &facts, &injected);
	if (kind_can_cut(kind.logprobs) && kind_can_cut(kind.usage) && !whole_uncut) {
		/* The cut does not change a plain answer of this kind. */
		injected = (struct injection){
		        .logprobs = true, .usage = true, .token_ids = kind_can_cut(kind.token_ids)};
		buf_clear(&whole);
		run(body, &injected, kind, 65536, body.len + 1, &whole, &whole_uncut);
		expect(span_equal(buf_span(&whole), body));
	}
	buf_finish(&whole);
	buf_finish(&split);
	return 0;
}
