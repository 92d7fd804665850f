#pragma once
/*
 * judge_list - the pairs of answers to ask a judge about: undecided ones, and a random sample of
 * decided ones as a check.
 */
#include "analyzer/analysis.h"

#define JUDGE_CHECKS_LIMIT 10000

struct judge_item {
	struct id exchange, base, test;
	int32_t choice;
	bool need_base_first, need_test_first;
	uint64_t order; /* random number of a check, the same in every run */
	uint64_t bytes; /* estimated size of one request */
};

struct judge_list {
	uint64_t pairs; /* pairs of greedy answers */
	/* pairs that are sampled, or whose parameters differ */
	uint64_t not_greedy;
	uint64_t undecided; /* undecided ones of `pairs` */
	/* undecided pairs that cannot be judged: an answer is cut, has tool calls, is empty, or
	 * is too long */
	uint64_t cut, calls, empty, too_long;
	/* undecided pairs that Math-Verify cannot judge, because not both answers mark a
	 * mathematical value */
	uint64_t unmarked;
	/* undecided pairs that Math-Verify cannot judge, because the words around the marked
	 * values differ */
	uint64_t unlike;
	uint64_t already; /* undecided pairs that this judge has judged in both orders */
	/* pairs to ask about now: undecided ones in the capture's order; then decided ones as
	 * checks, drawn at random */
	struct judge_item *items;
	size_t n_undecided, n_checks;
	uint64_t checks_already; /* drawn checks that this judge has judged in both orders */
};

struct judge_wish {
	const char *judge; /* the judge's name; NULL: no judge has judged yet */
	size_t checks;     /* number of checks, which are decided pairs */
	uint64_t limit;    /* the most pairs to ask about now */
	/* take only pairs whose answers mark mathematical values, with the same words around
	 * them */
	bool mathematics;
};

/* Reads the capture, fills *ret, and rewinds the capture. */
void judge_list_make(struct capture *c, const struct analysis_options *options,
        const struct judge_wish *wish, struct judge_list *ret);
void judge_list_finish(struct judge_list *l);
size_t judge_list_pairs(const struct judge_list *l); /* pairs to ask about now */
uint64_t judge_list_requests(const struct judge_list *l);
uint64_t judge_list_tokens(const struct judge_list *l); /* estimated number of prompt tokens */
