#pragma once
/*
 * plain - the lists of both sides at one position matched, where they are as most are: LISTING_PLAIN
 * tokens that identify, each once, all with a logprob, and the chosen one is among them. Pure.
 *
 * Both become one list of tokens: the base's in their order, behind them those that the test alone lists.
 */
#include "analyzer/tokens/listing.h"

#define PLAIN_MOST (2 * LISTING_PLAIN) /* tokens of both lists together */

struct plain {
	uint8_t n;                        /* tokens */
	uint8_t places[LISTING_PLAIN];    /* of the test's rows: tokens */
	uint8_t chosen_base, chosen_test; /* tokens */
	bool alike;                       /* the same tokens in the same order */
};

/* below: no logprob may be as far from 0, LISTING_FAINT or INFINITY. False: the lists are not plain, or ids deny
 * what bytes say. */
bool plain_match(
        const struct listing *base, const struct listing *test, float below, struct plain *ret);
/* The same of lists of LISTING_PLAIN rows with such logprobs, of which the base's tokens identify, each once. */
bool plain_match_told(const struct listing *base, const struct listing *test, struct plain *ret);
/* Of lists with the same tokens in the same order, the chosen one first: do ids deny none of it? */
bool plain_ids_agree(const struct listing *base, const struct listing *test);
/* The most probable row of a plain list; of equals the first. */
size_t plain_best(const struct listing *l);
