#pragma once
/*
 * score_contrast - compares the lists of one position: that of the engine that generated the
 * answer, and that of the engine that scored it. Scores are the model's own probabilities, so a
 * systematic difference is a change that the answer's engine made: a penalty moves tokens that
 * already stood in the answer, a temperature scales all gaps.
 *
 * It compares tokens that are in both lists, and of these only the more probable half, ordered by
 * the mean of both logprobs (by one logprob, noise would decide which token is first). The less
 * probable half is left out because noise decides which of its tokens are in both lists. Pure.
 */
#include "analyzer/compare/tokens/cause_memory.h"
#include "analyzer/compare/tokens/listing.h"
#include "analyzer/compare/tokens/request_words.h"

struct score_contrast {
	/* How far the engine moves tokens that already stood in the answer, nats: compared with the
	 * interpolation of the two new tokens around each, which removes the effect of any function
	 * of the probability. Below 0: down. NaN: no such tokens. */
	double moved;
	/* The logprob of the most probable new token minus that of the least probable one, nats, in
	 * each list; NaN: fewer than two new tokens. */
	double own_gap, scorer_gap;
};

/* at: the token's index in the answer; seen: the tokens before it. A token is new if it is not a
 * word of the request, either. */
struct score_contrast score_contrast_at(const struct listing *own, const struct listing *scorer,
        const struct cause_memory *seen, const struct request_words *words, uint32_t at);
