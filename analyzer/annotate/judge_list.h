#pragma once
/*
 * judge_list - the pairs of answers to ask a judge about: undecided pairs, and as checks a random
 * sample of decided ones. A judge is asked about a pair in both orders of its answers.
 */
#include "analyzer/rows/capture_walk.h"

#define JUDGE_CHECKS_LIMIT 10000

struct judge_item {
	struct id exchange, base, test;
	int32_t choice;
	bool need_base_first, need_test_first; /* ask with this answer first */
	/* random number of the pair, the same in every run; the checks are the pairs with the
	 * smallest numbers */
	uint64_t order;
	uint64_t bytes; /* estimated size of one request */
};

struct judge_list {
	uint64_t pairs; /* number of pairs of greedy answers */
	/* number of pairs that are not in `pairs`: sampled ones, or with different parameters */
	uint64_t not_greedy;
	uint64_t undecided; /* number of pairs in `pairs` whose meaning is undecided */
	/* Those of `undecided` that cannot be judged, because an answer is incomplete (cut), has
	 * tool calls, is empty, or is too long for a request. */
	uint64_t cut, calls, empty, too_long;
	/* those of `undecided` that Math-Verify cannot judge, because not both answers mark a
	 * mathematical value */
	uint64_t unmarked;
	/* those of `undecided` that Math-Verify cannot judge, because the words around the
	 * marked values differ */
	uint64_t unlike;
	uint64_t already; /* those of `undecided` that this judge has judged in both orders */
	/* The pairs to ask about now: first n_undecided undecided pairs in the capture's order,
	 * then n_checks checks. */
	struct judge_item *items;
	size_t n_undecided, n_checks;
	/* drawn checks that this judge has judged in both orders; they are not in items */
	uint64_t checks_already;
	/* Decided pairs that cannot be checks. checks_alike: every judge would decide them alike.
	 * checks_unusable: they cannot be judged, for a reason as above. */
	uint64_t checks_alike, checks_unusable;
};

struct judge_options {
	const char *judge; /* the judge's name in the capture; NULL: treat no pair as judged */
	/* Number of checks to draw from decided pairs. Pairs on which every judge would agree
	 * (identical, or of different kinds) are not drawn. */
	size_t checks;
	uint64_t limit; /* the most pairs to ask about now */
	/* for Math-Verify: take only pairs whose answers mark mathematical values, with the same
	 * words around these */
	bool mathematics;
};

/* Reads the whole capture. Overwrites *ret; the caller frees it with judge_list_finish(). */
void judge_list_make(struct capture *c, const struct analysis_options *options,
        const struct judge_options *judging, struct judge_list *ret);
void judge_list_finish(struct judge_list *l);
size_t judge_list_pairs(const struct judge_list *l); /* number of items */
/* number of requests: one or two for each item */
uint64_t judge_list_requests(const struct judge_list *l);
/* estimated number of prompt tokens of all requests */
uint64_t judge_list_tokens(const struct judge_list *l);
