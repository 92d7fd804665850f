#pragma once
/*
 * cause_prompt - prompts for which the two sides count different numbers of tokens, and the likely
 * reason: a BOS token, a template's marks, a cut. Needs no freeing.
 */
#include <stdbool.h>

#include "analyzer/causes/cause.h"
#include "analyzer/compare/request_signs.h"

/* Numbers of which the least and the largest are kept. */
enum cause_prompt_range {
	/* Of pairs whose counts differ: test - base, the larger and the smaller count, and the
	 * messages of chats. */
	RANGE_DELTA,
	RANGE_LONGER,
	RANGE_SHORTER,
	RANGE_MESSAGES,
	RANGE_EQUAL, /* the count of pairs whose counts are equal */
	/* Of all pairs: test - base, plus or minus the words or the bytes of the system text, and
	 * its words. */
	RANGE_WITH_WORDS,
	RANGE_WITH_BYTES,
	RANGE_LESS_WORDS,
	RANGE_LESS_BYTES,
	RANGE_SYSTEM_WORDS,
	N_PROMPT_RANGES
};

struct cause_prompt {    /* zero-initialised: empty */
	uint64_t n;      /* pairs where both sides state their counts */
	uint64_t unlike; /* pairs whose counts differ */
	/* pairs whose answers differ: with equal counts; with different counts */
	uint64_t equal_hits, unlike_hits;
	uint64_t greedy_unlike_hits; /* pairs of unlike_hits with greedy answers */
	struct {
		int64_t low, high; /* low above high: there is no such number */
	} ranges[N_PROMPT_RANGES];
	/* Sums over chats with different counts. They show whether each further message adds to
	 * the difference. */
	struct exact_sum messages, deltas, products, squares;
	struct exact_losses losses;
	uint64_t chats;
	uint64_t completions; /* pairs with different counts that are not chats */
};

/* Prompts are divided into groups, since one group may have a cause that the others do not have. */
enum cause_prompt_group {
	PROMPT_OF_CHAT,
	PROMPT_WITH_SYSTEM,
	PROMPT_OF_COMPLETION,
	N_CAUSE_PROMPTS
};
struct cause_prompts { /* zero-initialised: empty */
	struct cause_prompt of[N_CAUSE_PROMPTS];
};

struct cause_prompt_pair {
	int64_t base, test; /* prompt tokens; -1: not stated */
	uint32_t messages;  /* 0: not a chat */
	struct system_text system;
	bool differ, greedy;
};

/* Adds a pair. True if both counts are known and differ. */
bool cause_prompt_add(struct cause_prompt *p, const struct cause_prompt_pair *pair);
void cause_prompt_merge(struct cause_prompt *p, const struct cause_prompt *other);
/* The likely reason: CAUSE_BOS, CAUSE_TEMPLATE, CAUSE_TRUNCATED or CAUSE_PROMPT_TOKENS;
 * N_CAUSES: too few counts differ. */
enum cause_kind cause_prompt_kind(const struct cause_prompt *p);
/* The number of differing answers that the prompts explain. It leaves out those that would
 * differ anyway, judged by pairs with equal counts. */
uint64_t cause_prompt_explained(const struct cause_prompt *p);

/* The group of a pair. */
enum cause_prompt_group cause_prompt_group_of(const struct cause_prompt_pair *pair);
/* The sum of all groups. */
void cause_prompts_all(const struct cause_prompts *p, struct cause_prompt *ret);
/* The likely reason for each group: cause_prompt_kind(), or CAUSE_SYSTEM. If no group has enough
 * pairs by itself, chats with and without a system message are joined, then all groups. */
void cause_prompts_kinds(const struct cause_prompts *p, enum cause_kind ret[N_CAUSE_PROMPTS]);
