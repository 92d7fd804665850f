#include "analyzer/compare/meaning/meaning.h"

#include <string.h>

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

/*
 * "It was X." in answer to a question is X: one sentence in which nothing stands but such words and the right answer's own. What has
 * a not, an or or anything else beside it is not told here. Capitals count, but for a first letter that a sentence may have changed.
 */
static bool is_framed(struct span answer, struct span right)
{
	static const char *const FRAMES[] = {"it was ", "it is ", "it's ", "that was ", "that is ",
	        "the answer is ", "the answer was ", "the correct answer is "};
	struct span s = span_trim(answer);
	size_t i = 0;
	while (i < ARRAY_LEN(FRAMES) && !span_starts_nocase(s, FRAMES[i])) {
		i++;
	}
	if (i == ARRAY_LEN(FRAMES)) {
		return false;
	}
	s = span_trim(span_from(s, strlen(FRAMES[i])));
	/* "Jr." has its own. */
	if (s.len == right.len + 1 && s.data[s.len - 1] == '.') {
		s.len--;
	}
	return s.len == right.len &&
	       span_is_nocase((struct span){s.data, 1}, (char[]){right.data[0], 0}) &&
	       memcmp(s.data + 1, right.data + 1, right.len - 1) == 0;
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
	if (!cut && is_framed(answer, right)) {
		return GOLD_RIGHT;
	}
	meaning_compare_texts(room, answer, right, question_by(right, q), cut, &m);
	return m.class <= MEANING_WORDING          ? GOLD_RIGHT
	       : m.class == MEANING_ANSWER_CHANGED ? GOLD_WRONG
	                                           : GOLD_UNDECIDED;
}
