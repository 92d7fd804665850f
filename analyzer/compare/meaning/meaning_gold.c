#include "analyzer/compare/meaning/meaning.h"

#include <stdlib.h>

#include "analyzer/compare/meaning/answer.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/enum_names.h"

ENUM_NAMES(meaning_gold_name, enum meaning_gold, "none", "right", "wrong", "undecided");

/* If the prompt does not show what kind of answer it asks for, the right answer does. */
static enum question question_by(struct span gold, enum question q)
{
	struct value value;
	value_read(gold, q, &value);
	bool number = value.kind == VALUE_NUMBER;
	return q == QUESTION_OPEN && number ? QUESTION_NUMBER : q;
}

/* Some benchmarks put the steps before the right answer: "... #### 18". */
static struct span conclusion(struct span gold)
{
	for (size_t i = gold.len; i >= 4; i--) {
		if (span_starts(span_from(gold, i - 4), "####")) {
			return span_trim(span_from(gold, i));
		}
	}
	return span_trim(gold);
}

/* Judges by the answer that a sentence of the text states. */
static enum meaning_gold by_answer(struct format *f, enum question q)
{
	struct answer answer, right;
	if (f->a.failed || f->b.failed) {
		return GOLD_UNDECIDED;
	}
	answer_read(&f->a, f->a.words, q, &answer);
	answer_read(&f->b, f->b.words, q, &right);
	enum agreement agreement = answer_compare_right(&answer, &right, q);
	return agreement == AGREE_SAME      ? GOLD_RIGHT
	       : agreement == AGREE_CHANGED ? GOLD_WRONG
	                                    : GOLD_UNDECIDED;
}

enum meaning_gold meaning_gold_of(
        struct meaning_room *room, struct span answer, enum question q, bool cut, struct span gold)
{
	struct meaning m;
	struct span right = conclusion(gold);
	if (right.len == 0) {
		return GOLD_NONE;
	}
	if (span_trim(answer).len == 0) {
		return cut ? GOLD_UNDECIDED : GOLD_WRONG;
	}
	q = question_by(right, q);
	meaning_compare_texts(room, answer, right, q, cut, &m);
	if (m.class == MEANING_UNDECIDED && !cut) {
		return by_answer(&room->format, q);
	}
	return m.class <= MEANING_WORDING          ? GOLD_RIGHT
	       : m.class == MEANING_ANSWER_CHANGED ? GOLD_WRONG
	                                           : GOLD_UNDECIDED;
}

/* Reads a list of calls as those of an answer. Returns false if it is no such list. */
static bool read_calls(struct span gold, struct choice *ret)
{
	static const char *const NAME[] = {"name"}, *const ARGUMENTS[] = {"arguments"};
	struct json j;
	struct json_token t, name, arguments;
	struct span text;
	if (json_begin(&j, gold).type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		struct span call = json_skip(&j, &t);
		if (ret->n_calls == READING_CALLS_LIMIT || !json_find(call, NAME, 1, &name, NULL) ||
		        name.type != JSON_TOKEN_STRING ||
		        !json_find(call, ARGUMENTS, 1, &arguments, &text) ||
		        arguments.type != JSON_TOKEN_OBJECT) {
			return false;
		}
		ret->calls = xrealloc(ret->calls, (ret->n_calls + 1) * sizeof(*ret->calls));
		ret->calls[ret->n_calls++] = (struct tool_call){
		        .name = json_token_dup(&name), .arguments = span_dup(text)};
	}
	return t.type == JSON_TOKEN_ARRAY_END && json_next(&j).type == JSON_TOKEN_END;
}

static void finish_calls(struct choice *c)
{
	for (size_t i = 0; i < c->n_calls; i++) {
		free(c->calls[i].name);
		free(c->calls[i].arguments);
	}
	free(c->calls);
}

bool gold_is_calls(struct span gold)
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
