#include "base/letters.h"
#include "analyzer/meaning/meaning.h"

const char *meaning_gold_name(enum meaning_gold g)
{
	static const char *const names[N_MEANING_GOLDS] = {"none", "right", "wrong", "undecided"};
	return names[g];
}

/* The right answer tells what was asked for where the prompt does not. */
static enum question question_by(struct span gold, enum question q)
{
	struct value value;
	value_read(gold, q, false, &value);
	bool number = value.kind == VALUE_NUMBER && !value.quantity.number.unsure;
	return q == QUESTION_OPEN && number ? QUESTION_NUMBER : q;
}

/* Benchmarks put the steps before it: "... #### 18". */
static struct span conclusion(struct span gold)
{
	for (size_t i = gold.len; i >= 4; i--) {
		if (span_starts(span_from(gold, i - 4), "####")) {
			return span_trim(span_from(gold, i));
		}
	}
	return span_trim(gold);
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
	meaning_compare_texts(room, answer, right, question_by(right, q), cut, &m);
	return m.class <= MEANING_WORDING          ? GOLD_RIGHT
	       : m.class == MEANING_ANSWER_CHANGED ? GOLD_WRONG
	                                           : GOLD_UNDECIDED;
}
