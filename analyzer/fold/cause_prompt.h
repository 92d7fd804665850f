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
	/* The first four are of pairs whose counts differ. */
	RANGE_DELTA,    /* d: the test's count minus the base's */
	RANGE_LONGER,   /* the larger count */
	RANGE_SHORTER,  /* the smaller count */
	RANGE_MESSAGES, /* number of messages, of chats only */
	RANGE_EQUAL,    /* of pairs whose counts are equal: the count */
	/* The others are of all pairs. s: number of words, or of bytes, of the system text; 0:
	 * there is none. WITH: d + s. LESS: d - s. SYSTEM_WORDS: s in words. */
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
	/* pairs whose answers differ. equal_hits: the counts are equal; unlike_hits: they differ */
	uint64_t equal_hits, unlike_hits;
	uint64_t greedy_unlike_hits; /* the part of unlike_hits with greedy answers */
	struct {
		/* valid if n > 0; low above high: no pair has such a number */
		int64_t low, high;
	} ranges[N_PROMPT_RANGES];
	/* Sums over chats with different counts, of m (number of messages), d (see RANGE_DELTA),
	 * m d and m². They show whether each further message adds to the difference. */
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
	/* a pair is an answer (of the test) and the scores of this answer (by the base) */
	bool of_scores;
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
 * Returns the likely reason why counts differ; the first line that applies:
 *
 *	N_CAUSES             no reason: the counts differ in fewer than CAUSE_PROMPT_LEAST pairs, or
 *	                     in less than 1 % of the pairs
 *	CAUSE_BOS            in all pairs, the same side counts exactly one token more
 *	CAUSE_TRUNCATED      only prompts above a length differ: the same side counts more in all
 *	                     differing pairs, but not always by the same number; and the least
 *	                     RANGE_LONGER is above the largest RANGE_EQUAL and RANGE_SHORTER
 *	CAUSE_TEMPLATE       all differing pairs are chats; and all differ by the same number, or
 *	                     each message adds or removes at least half a token (slope of a
 *	                     regression)
 *	CAUSE_PROMPT_TOKENS  otherwise
 */
enum cause_kind cause_prompt_kind(const struct cause_prompt *p);
/* The number of differing answers that different counts explain: unlike_hits, minus those that
 * would differ anyway. Their share is that of differing answers among the pairs with equal counts;
 * 0 if there are fewer than 20 such pairs. */
uint64_t cause_prompt_explained(const struct cause_prompt *p);

/* The group of a pair. */
enum cause_prompt_group cause_prompt_group_of(const struct cause_prompt_pair *pair);
/* The sum of all groups. */
void cause_prompts_all(const struct cause_prompts *p, struct cause_prompt *ret);
/* Call it only if PROMPT_WITH_SYSTEM has CAUSE_SYSTEM. Returns the test's count minus the base's in
 * chats without a system message. All of these then have the same difference; it may be 0. */
int64_t cause_prompts_usual(const struct cause_prompts *p);
/* Sets the likely reason for each group, in three steps:
 *	1. PROMPT_OF_COMPLETION gets its own cause_prompt_kind().
 *	2. If one side drops system messages (at least two chats with one and three without;
 *	   docs/metrics.md has the rule), PROMPT_WITH_SYSTEM gets CAUSE_SYSTEM, and PROMPT_OF_CHAT
 *	   its own kind. Else both get the kind of all chats together.
 *	3. If all three are now N_CAUSES, each gets the kind of all prompts together. */
void cause_prompts_kinds(const struct cause_prompts *p, enum cause_kind ret[N_CAUSE_PROMPTS]);
