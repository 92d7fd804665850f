#pragma once
/*
 * judge_list - which pairs of answers a judge is to be asked about: those that the ladder leaves
 * undecided, and some that it decided, drawn at random.
 */
#include "analyzer/analysis.h"

#define JUDGE_CHECKS_LIMIT 10000

struct judge_item {
	struct id exchange, base, test;
	int32_t choice;
	bool need_base_first, need_test_first;
	uint64_t lot;   /* of a check: the same in every run */
	uint64_t bytes; /* that one request holds, about */
};

struct judge_items {
	struct judge_item *items;
	size_t n, cap;
};

struct judge_list {
	uint64_t pairs;                       /* of greedy answers */
	uint64_t undecided;                   /* of them */
	uint64_t cut, calls, empty, too_long; /* undecided, and not to be judged */
	uint64_t unmarked;                    /* ... because not both mark a mathematical value */
	uint64_t unlike;          /* ... because both do, and what they say around it differs */
	uint64_t already;         /* in both orders, by this judge */
	struct judge_items asked; /* undecided ones, in the capture's order */
	struct judge_items
	        checks;  /* the least lots; judged ones among them until judge_list_settle() */
	size_t n_checks; /* wanted */
	uint64_t checks_already;
};

struct judge_wish {
	const char *judge; /* its name; NULL: none has judged yet */
	size_t checks;     /* pairs that the ladder decided */
	uint64_t limit;    /* of pairs that are asked about now */
	bool mathematics; /* only pairs whose answers mark mathematical values, and say the same around them */
};

/* Walks over the capture, which is rewound. */
void judge_list_make(struct capture *c, const struct analysis_options *options,
        const struct judge_wish *wish, struct judge_list *ret);
void judge_list_finish(struct judge_list *l);
size_t judge_list_pairs(const struct judge_list *l); /* that are asked about now */
const struct judge_item *judge_list_item(const struct judge_list *l, size_t i);
uint64_t judge_list_requests(const struct judge_list *l);
uint64_t judge_list_tokens(const struct judge_list *l); /* of their prompts, about */
