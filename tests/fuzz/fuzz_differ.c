/*
 * Compares the JSON reader and the cutter with jansson. Both readers accept the same texts and read
 * them alike. The cutter removes exactly the injected members. The first byte chooses the kind.
 */
#include "tests/json_beside.h"

#include "backends/injection/cut.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns whether both read it. */
static bool compare(const char *text, size_t len)
{
	json_error_t error;
	json_t *theirs = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	json_t *ours = read_ours(text, len);
	bool both = theirs && ours;
	if (both) {
		expect(json_equal(ours, theirs));
	} else if (theirs) {
		/* jansson 2.14 loses a NUL right after a number or word. */
		expect(len > JSON_MAX_DEPTH || memchr(text, '\0', len));
	} else if (ours) {
		expect(is_liberty(&error));
	}
	json_decref(theirs);
	json_decref(ours);
	return both;
}

/* What the cutter must keep, computed with jansson. */
static void cut_theirs(json_t *answer, enum kind_member kind)
{
	json_t *choices = json_object_get(answer, "choices");
	json_t *choice;
	size_t i;
	json_array_foreach(choices, i, choice) {
		if (!json_object_get(choice, "logprobs")) {
			continue;
		}
		if (kind == KIND_NULL) {
			json_object_set_new(choice, "logprobs", json_null());
		} else {
			json_object_del(choice, "logprobs");
		}
	}
}

static void compare_cut(struct span body, enum kind_member member)
{
	const struct injection injected = {.logprobs = true, .top = 5};
	struct kind kind = {.logprobs = member, .usage = KIND_ABSENT};
	struct buf out = {0};
	size_t flags = JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES;
	json_t *before = json_loadb(body.data, body.len, flags, NULL);
	if (before && json_is_object(before)) {
		enum cut cut = cut_json(body, &injected, kind, &out);
		expect(cut == CUT_KEPT || cut == CUT_DONE);
		json_t *after = json_loadb(out.data, out.len, flags, NULL);
		cut_theirs(before, member);
		expect(after && json_equal(before, after));
		json_decref(after);
	}
	json_decref(before);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size) {
		return 0;
	}
	const char *text = (const char *)data + 1;
	if (compare(text, size - 1)) {
		compare_cut((struct span){text, size - 1}, data[0] & 1 ? KIND_NULL : KIND_ABSENT);
	}
	return 0;
}
