#include "analyzer/compare/meaning/meaning.h"

#include "analyzer/compare/meaning/answer.h"
#include "base/letters.h"

const char *meaning_gold_name(enum meaning_gold g)
{
	static const char *const names[N_MEANING_GOLDS] = {"none", "right", "wrong", "undecided"};
	return names[g];
}

/* The right answer tells what was asked for where the prompt does not. */
static enum question question_by(struct span gold, enum question q)
{
	struct value value;
	value_read(gold, q, &value);
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

/* By the answer that a text states in a sentence of its own. */
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
