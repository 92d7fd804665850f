#pragma once
/*
 * draws_list - the candidates at one position of an answer: the tokens among which the engine drew,
 * from its list. Pure.
 *
 * Whether a token is a candidate must not depend on the drawn token, or the likelihood of the draw
 * is wrong:
 *
 *	- An engine may put the drawn token in place of the last one, or after it. So the last place
 *	  of a full list is left out.
 *	- An engine that lists the end token does not give it as a token of the answer. So end
 *	  tokens are left out everywhere.
 *
 * The requested parameters narrow the list further: to candidates that remain whether the engine
 * truncates before temperature or after it.
 */
#include "analyzer/rows/draws_row.h"
#include "answers/reading.h"

#define DRAWS_LIST_LIMIT 64 /* the most probable candidates */

/* The requested parameters; off: top_k 0, top_p 1, min_p 0. */
struct draws_asked {
	double temperature; /* above 0 */
	double top_k, top_p, min_p;
};

struct draws_list {
	size_t n;
	/* By decreasing probability: */
	uint32_t row[DRAWS_LIST_LIMIT];  /* of the columns */
	uint32_t rank[DRAWS_LIST_LIMIT]; /* rank in the whole list, from 0 */
	double lp[DRAWS_LIST_LIMIT];     /* nats, relative to the first candidate: at most 0 */
	/* mass: the total probability of the tokens before it. share: its probability relative to
	 * the most probable token of the list. Both before temperature and after it. At
	 * temperatures above 1 the mass after temperature is not known; 0. */
	double mass[DRAWS_LIST_LIMIT], share[DRAWS_LIST_LIMIT];
	double mass_after[DRAWS_LIST_LIMIT], share_after[DRAWS_LIST_LIMIT];
	size_t chosen; /* n: the drawn token is not a candidate */
};

/* The least length of a full list of the answer, without the drawn token if it stands at the end.
 * 0: there are no lists. */
uint32_t draws_list_usual(const struct columns *c);
/* False: the token has no list. *ret_filtered: the list is shorter than a full one, or contains
 * tokens without a logprob. */
bool draws_list_read(const struct columns *c, uint32_t token, uint32_t usual,
        const struct draws_asked *asked, struct draws_list *ret, bool *ret_filtered);
