#pragma once
/*
 * ranking - gives all tokens of one distribution in descending order of logit.
 *
 * It merges explicit items (candidates, and tokens that a token_sampler adjusted) with the tail,
 * which is never listed as a whole. Of equal logits the lower id comes first. Do not copy a struct
 * ranking. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/language.h"

struct ranking {
	const struct language *language;
	const struct language_spread *spread;
	const struct language_item *items;
	uint32_t n, at;
	uint32_t tail_rank, size;
	uint64_t explicit_ids[128];
	struct language_item candidates[LANGUAGE_CANDIDATES]; /* of ranking_of_spread() */
};

/* Sorts items, which have each id at most once. They, l and spread must not change while the
 * ranking is read. */
void ranking_init(struct ranking *r, const struct language *l, const struct language_spread *spread,
        struct language_item *items, uint32_t n);
/* As ranking_init(), with the candidates of the distribution. */
void ranking_of_spread(
        struct ranking *r, const struct language *l, const struct language_spread *spread);
/* Gives the next token. False: there are no more. */
bool ranking_next(struct ranking *r, struct language_item *ret);
void ranking_rewind(struct ranking *r);
