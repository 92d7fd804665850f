#pragma once
/*
 * draws_list - the candidates at one position of a sampled answer: the listed tokens that the
 * engine could certainly draw. Pure.
 *
 * Whether a token is a candidate must not depend on the drawn token; otherwise the likelihood of
 * the draw is wrong:
 *
 *	- An engine may put the drawn token in place of the last one of the list, or after it. So
 *	  the last token of a full list is never a candidate.
 *	- An engine that lists the end token does not give it as a token of the answer. So end
 *	  tokens are never candidates.
 *
 * Requested top_k, top_p and min_p narrow the list further. A token stays a candidate only if these
 * keep it in both cases: if the engine truncates before temperature, and if after it.
 */
#include "analyzer/rows/draws_row.h"
#include "answers/reading.h"

#define DRAWS_LIST_LIMIT 64 /* the most candidates; the most probable ones are kept */

/* The requested parameters. 0 (top_k, min_p) and 1 (top_p) mean off. */
struct draws_requested {
	double temperature; /* above 0 */
	double top_k, top_p, min_p;
};

struct draws_list {
	size_t n;
	/* The candidates, by decreasing probability: */
	uint32_t row[DRAWS_LIST_LIMIT];  /* row of the token in the columns (listing.h) */
	uint32_t rank[DRAWS_LIST_LIMIT]; /* rank in the whole list, from 0 */
	/* logprob minus that of the first candidate, nats: at most 0 */
	double lp[DRAWS_LIST_LIMIT];
	/* mass: the total probability of the list's tokens before the candidate. share: the
	 * candidate's probability divided by that of the list's most probable token. Both are as
	 * the list states them; mass_after, share_after: after the requested temperature. At
	 * temperatures above 1, mass_after is unknown, and set to 0. */
	double mass[DRAWS_LIST_LIMIT], share[DRAWS_LIST_LIMIT];
	double mass_after[DRAWS_LIST_LIMIT], share_after[DRAWS_LIST_LIMIT];
	size_t chosen; /* index of the drawn token; n: it is not a candidate */
};

/* The length of a full list of this answer: the length of the longest list, or one less if the
 * drawn token is the last one in each of the longest lists. 0: there are no lists. */
uint32_t draws_list_usual(const struct columns *c);
/* Reads the candidates for one token of the answer. usual: from draws_list_usual().
 * *ret_filtered: the list has at least two tokens fewer than a full one (only tokens with a logprob
 * count), so the engine probably removed some. One may be missing for another reason: two tokens
 * with the same text. False: the token has no usable list; nothing is set. */
bool draws_list_read(const struct columns *c, uint32_t token, uint32_t usual,
        const struct draws_requested *requested, struct draws_list *ret, bool *ret_filtered);
