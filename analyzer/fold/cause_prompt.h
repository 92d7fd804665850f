#pragma once
/*
 * cause_prompt - compares the numbers of prompt tokens ("counts") that the two sides state, and
 * finds the likely reason if they differ: a BOS token, a template's marks, a cut. A pair in which a
 * side states no count is ignored. Needs no freeing.
 */
#include <stdbool.h>

#include "analyzer/fold/cause.h"
#include "answers/request_signs.h"

/* Numbers whose least and largest values are kept. */
enum cause_prompt_range {
	/* Of pairs whose counts differ: the test's count minus the base's; the larger count; the
	 * smaller count; the number of messages, of chats only. */
	RANGE_DELTA,
	RANGE_LONGER,
	RANGE_SHORTER,
	RANGE_MESSAGES,
	RANGE_EQUAL, /* of pairs whose counts are equal: the count */
	/* Of all pairs, with d = the test's count minus the base's, and s = the number of words,
	 * or of bytes, of the system text (0: there is none). WITH: d + s. LESS: d - s.
	 * SYSTEM_WORDS: s in words. */
	RANGE_WITH_WORDS,
	RANGE_WITH_BYTES,
	RANGE_LESS_WORDS,
	RANGE_LESS_BYTES,
	RANGE_SYSTEM_WORDS,
	N_PROMPT_RANGES
};

#define CAUSE_PROMPT_LEAST 3 /* pairs with different counts that are needed for a cause */

struct cause_prompt {    /* zero-initialised: empty */
	uint64_t n;      /* pairs where both sides state their counts */
	uint64_t unlike; /* pairs whose counts differ */
	/* pairs whose answers differ: with equal counts; with different counts */
	uint64_t equal_hits, unlike_hits;
	uint64_t greedy_unlike_hits; /* the part of unlike_hits with greedy answers */
	struct {
		/* if n > 0: low above high means that no pair has such a number */
		int64_t low, high;
	} ranges[N_PROMPT_RANGES];
	/* Sums over chats with different counts, of m (messages), d (the test's count minus the
	 * base's), m d and m². They show whether each further message adds to the difference. */
	struct exact_sum messages, deltas, products, squares;
	uint64_t chats;       /* number of these chats */
	uint64_t completions; /* pairs with different counts that are not chats */
};

/* Prompts are divided into groups, because one group may have a cause that the others do not
 * have: chats without a system message, chats with one, and prompts that are no chats. */
enum cause_prompt_group {
	PROMPT_OF_CHAT,
	PROMPT_WITH_SYSTEM,
	PROMPT_OF_COMPLETION,
	N_CAUSE_PROMPTS
};
struct cause_prompts { /* zero-initialised: empty */
	struct cause_prompt of[N_CAUSE_PROMPTS];
	bool of_scores; /* each pair is an answer (the test's) and its scores */
};

struct cause_prompt_pair {
	int64_t base, test; /* prompt tokens; -1: not stated */
	uint32_t messages;  /* 0: not a chat */
	struct system_text system;
	bool differ, greedy;
};

/* Adds a pair. True: both counts are known and differ. */
bool cause_prompt_add(struct cause_prompt *p, const struct cause_prompt_pair *pair);
void cause_prompt_merge(struct cause_prompt *p, const struct cause_prompt *other);
/*
 * The likely reason; the first line that applies:
 *
 *	N_CAUSES             the counts differ in fewer than CAUSE_PROMPT_LEAST pairs, or in less
 *	                     than 1 %
 *	CAUSE_BOS            all pairs differ by one token, in one direction
 *	CAUSE_TRUNCATED      all differences have one direction, but not one size; and the least
 *	                     RANGE_LONGER is above the largest RANGE_EQUAL and the largest
 *	                     RANGE_SHORTER: only prompts above a length differ
 *	CAUSE_TEMPLATE       chats only; one difference for all, or the slope of a regression of the
 *	                     difference on the number of messages is at least half a token, more
 *	                     or fewer
 *	CAUSE_PROMPT_TOKENS  otherwise
 */
enum cause_kind cause_prompt_kind(const struct cause_prompt *p);
/* The number of differing answers that different counts explain: unlike_hits, minus those that
 * would differ with equal counts, too. That share comes from the pairs with equal counts, if there
 * are at least 20 of them; else it counts as 0. */
uint64_t cause_prompt_explained(const struct cause_prompt *p);

/* The group of a pair. */
enum cause_prompt_group cause_prompt_group_of(const struct cause_prompt_pair *pair);
/* The sum of all groups. */
void cause_prompts_all(const struct cause_prompts *p, struct cause_prompt *ret);
/* If a group has CAUSE_SYSTEM: the test's count minus the base's in chats without a system message,
 * which is then the same for all of them; 0 if their counts are equal. */
int64_t cause_prompts_usual(const struct cause_prompts *p);
/* The likely reason for each group.
 *	CAUSE_SYSTEM       for PROMPT_WITH_SYSTEM, if one side drops system messages (at least two
 *	                   such chats and three others; docs/metrics.md has the rule). The other two
 *	                   groups then get their own cause_prompt_kind()
 *	otherwise          both groups of chats get the cause_prompt_kind() of all chats together
 *	no group has one   each group gets the cause_prompt_kind() of all prompts together */
void cause_prompts_kinds(const struct cause_prompts *p, enum cause_kind ret[N_CAUSE_PROMPTS]);
