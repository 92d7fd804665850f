#pragma once
/*
 * draws_list - the candidates at one position of an answer: the tokens among which the engine drew, as its
 * list states them. Pure.
 *
 * Which tokens are candidates must not depend on which one was drawn, or the draw's likelihood is wrong:
 *
 *	- an engine may put the token that it drew in the place of the last one, or behind it. So the last
 *	  place of a full list is left out.
 *	- an engine that lists the token that ends an answer does not give it as a token of the answer. So
 *	  such tokens are left out wherever they stand.
 *
 * What was asked for narrows the list further: to candidates that are left whichever way the engine cuts,
 * before temperature or after it.
 */
#include "analyzer/rows/draws_row.h"
#include "answers/reading.h"

#define DRAWS_LIST_LIMIT 64 /* candidates; the most probable ones */

/* What was asked for; off: top_k 0, top_p 1, min_p 0. */
struct draws_asked {
	double temperature; /* above 0 */
	double top_k, top_p, min_p;
};

struct draws_list {
	size_t n;
	/* By falling probability: */
	uint32_t row[DRAWS_LIST_LIMIT];  /* of the columns */
	uint32_t rank[DRAWS_LIST_LIMIT]; /* from 0, those counted that are no candidates */
	double lp[DRAWS_LIST_LIMIT];     /* nats, below that of the first candidate: at most 0 */
	/* How probable all those are together that stand before it, and it itself against the most probable
	 * token of the list: before temperature and after it. At temperatures above 1 the mass after it is not
	 * known; 0. */
	double mass[DRAWS_LIST_LIMIT], share[DRAWS_LIST_LIMIT];
	double mass_after[DRAWS_LIST_LIMIT], share_after[DRAWS_LIST_LIMIT];
	size_t chosen; /* n: the token that was drawn is no candidate */
};

/* How long a full list of the answer is, at least: without the token that stands behind it where it was drawn.
 * 0: there are none. */
uint32_t draws_list_usual(const struct columns *c);
/* False: the token has no list. *ret_filtered: the list holds fewer tokens than a full one, or some without a
 * logprob. */
bool draws_list_read(const struct columns *c, uint32_t token, uint32_t usual,
        const struct draws_asked *asked, struct draws_list *ret, bool *ret_filtered);
