#pragma once
/*
 * examine_score - what one engine says of the tokens of another one's answer: a leg that `plumbline
 * score` recorded, beside the answer that it scored. Pure.
 *
 * Every token of the answer counts, also those behind the first difference between the texts, so
 * that these figures are not biased towards what both engines find easy. A position counts where a
 * token begins and ends at the same bytes on both sides.
 */
#include "analyzer/compare/tokens/request_words.h"
#include "analyzer/rows/rows.h"

struct score_input {
	struct id exchange;
	const uint8_t *cluster; /* ROW_CLUSTER_SIZE bytes */
	const struct leg_row *scorer;
	const struct leg_row *of;              /* NULL: not in the capture */
	const char *scorer_name, *of_name;     /* of the sides; of_name: NULL where of is */
	const struct reading *scored, *answer; /* NULL where they can't be had */
	struct decoding_side decoding;         /* how the answer was made, unless of is NULL */
	const struct request_words *words;     /* of the request */
	/* The request asks for something that moves logprobs otherwise (draws_request_read()). */
	bool is_constrained;
	bool is_self; /* one engine gave both legs */
};

/* One aligned position, the answer's token number i: d is the scorer's logprob less the answer's
 * own. */
void score_row_add(struct score_row *to, uint32_t i, double d);
void examine_score(const struct score_input *in, struct score_row *ret);
/* The leg whose tokens a scored leg has scored; n_legs: it is not there. */
size_t score_leg_of(const struct capture_exchange *e, const struct leg_row *scorer);
