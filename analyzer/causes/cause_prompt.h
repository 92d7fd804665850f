#pragma once
/*
 * cause_prompt - prompts whose tokens the two sides count unlike, and what the differences look like:
 * a BOS token, a template's marks, a cut. Nothing to be freed.
 */
#include <stdbool.h>

#include "analyzer/causes/cause.h"
#include "analyzer/compare/request_signs.h"

struct cause_prompt { /* zero-initialised is empty */
	uint64_t n;   /* pairs where both sides counted */
	uint64_t unlike;
	uint64_t equal_hits, unlike_hits; /* of each: those whose answers differ */
	uint64_t greedy_unlike_hits;
	int64_t low, high; /* of test - base where they are unlike */
	/* Unlike pairs of chats: whether each further message adds to the difference. */
	struct exact_sum messages, deltas, products, squares;
	struct exact_losses losses;
	uint64_t chats;
	uint32_t fewest, most; /* messages of these */
	uint64_t completions;  /* unlike pairs that are no chats */
	int64_t longest_equal; /* prompt tokens, as the longer side counts them */
	int64_t shortest_unlike,
	        longest_short; /* the longer side's least, the shorter side's most */
	/* Extremes of test - base, with the sizes of the system text added or taken off. */
	int64_t most_with_words, least_with_bytes, least_less_words, most_less_bytes;
	uint32_t fewest_words, most_words; /* of the system texts */
};

/* A cause may be in the prompts of one kind alone, or another one in each. */
enum cause_prompt_group {
	PROMPT_OF_CHAT,
	PROMPT_WITH_SYSTEM,
	PROMPT_OF_COMPLETION,
	N_CAUSE_PROMPTS
};
struct cause_prompts { /* zero-initialised is empty */
	struct cause_prompt of[N_CAUSE_PROMPTS];
};

struct cause_prompt_pair {
	int64_t base, test; /* prompt tokens; -1: not said */
	uint32_t messages;  /* 0: no chat */
	struct system_text system;
	bool differ, greedy;
};

/* Returns whether the counts are known and unlike. */
bool cause_prompt_add(struct cause_prompt *p, const struct cause_prompt_pair *pair);
void cause_prompt_merge(struct cause_prompt *p, const struct cause_prompt *other);
/* CAUSE_BOS, CAUSE_TEMPLATE, CAUSE_TRUNCATED or CAUSE_PROMPT_TOKENS; N_CAUSES: too few are unlike to
 * be worth a word. */
enum cause_kind cause_prompt_kind(const struct cause_prompt *p);
/* Differing answers that the prompts explain: where pairs with like prompts differ too, as many of the
 * unlike ones would have differed all the same. */
uint64_t cause_prompt_explained(const struct cause_prompt *p);

/* Where it belongs. */
enum cause_prompt_group cause_prompt_group_of(const struct cause_prompt_pair *pair);
/* Those of all groups together. */
void cause_prompts_all(const struct cause_prompts *p, struct cause_prompt *ret);
/* As cause_prompt_kind() of each group, or CAUSE_SYSTEM; otherwise of chats with and without a system
 * message together, and of all together where no group by itself has enough. */
void cause_prompts_kinds(const struct cause_prompts *p, enum cause_kind ret[N_CAUSE_PROMPTS]);
