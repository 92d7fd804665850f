#include "analyzer/compare/meaning/gold_calls.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"

/* The list as the calls of an answer. False: it is none. */
static bool read_calls(struct span gold, struct choice *ret)
{
	static const char *const NAME[] = {"name"}, *const ARGUMENTS[] = {"arguments"};
	struct json j;
	struct json_token t, name, arguments;
	struct span text;
	json_init(&j, gold.data, gold.len);
	if (json_next(&j).type != JSON_ARRAY) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		struct span call = json_skip(&j, &t);
		if (ret->n_calls == READING_CALLS_LIMIT || !json_find(call, NAME, 1, &name, NULL) ||
		        name.type != JSON_STRING ||
		        !json_find(call, ARGUMENTS, 1, &arguments, &text) ||
		        arguments.type != JSON_OBJECT) {
			return false;
		}
		ret->calls = xrealloc(ret->calls, (ret->n_calls + 1) * sizeof(*ret->calls));
		ret->calls[ret->n_calls++] =
		        (struct tool_call){.name = json_dup(&name), .arguments = span_dup(text)};
	}
	return t.type == JSON_ARRAY_END && json_next(&j).type == JSON_END;
}

static void finish_calls(struct choice *c)
{
	for (size_t i = 0; i < c->n_calls; i++) {
		free(c->calls[i].name);
		free(c->calls[i].arguments);
	}
	free(c->calls);
}

bool gold_calls_is(struct span gold)
{
	struct choice right = {0};
	bool is = read_calls(gold, &right);
	finish_calls(&right);
	return is;
}

enum meaning_gold gold_calls_judge(
        struct span gold, const struct choice *answer, bool cut, const struct tools *tools)
{
	struct choice right = {0};
	struct calls_difference d;
	if (!read_calls(gold, &right)) {
		finish_calls(&right);
		return GOLD_UNDECIDED;
	}
	calls_compare(&right, answer, tools, &d);
	finish_calls(&right);
	if (d.matched == d.base && d.matched == d.test && !(cut && d.test == 0)) {
		return GOLD_RIGHT;
	}
	if (d.agreement == AGREE_UNDECIDED || (cut && d.test <= d.base)) {
		return GOLD_UNDECIDED;
	}
	return d.agreement == AGREE_SAME ? GOLD_RIGHT : GOLD_WRONG;
}
