#pragma once
/*
 * examine_score - compares a leg that `plumbline score` recorded with the answer that it scored.
 * Pure.
 *
 * Every token of the answer counts, also after the first difference between the texts, so the
 * figures are not biased towards easy tokens. A position counts if a token begins and ends at the
 * same bytes on both sides.
 */
#include "analyzer/compare/tokens/request_words.h"
#include "analyzer/rows/rows.h"

struct score_input {
	const struct leg_row *scorer;
	const struct leg_row *of; /* the scored leg; NULL: not in the capture */
	/* scored: the scores, from the leg `scorer`. answer: the scored answer, from the leg `of`.
	 * NULL: can't be read. */
	const struct reading *scored, *answer;
	struct decoding_side decoding;     /* how the answer was decoded, unless `of` is NULL */
	const struct request_words *words; /* words of the request */
	/* The request has a parameter that changed the answer's logprobs, but not the scores:
	 * draws_request_read() does not return DRAWS_COUNTS. */
	bool is_constrained;
};

/* Adds one aligned position (struct score_row), of the answer's token i. d: the scorer's logprob
 * minus the answer's own, finite, nats. */
void score_row_add(struct score_row *to, uint32_t i, double d);
/* Compares the answer with its scores. The caller has set exchange, scorer, of and is_self of *ret,
 * and zero-initialised the rest. This function sets the rest, and ret->scorer.prompt_tokens. */
void examine_score(const struct score_input *in, struct score_row *ret);
/* The index of the leg whose answer the scorer's leg scored; e->n_legs: it is not in the
 * capture. */
size_t score_leg_of(const struct capture_exchange *e, const struct leg_row *scorer);
