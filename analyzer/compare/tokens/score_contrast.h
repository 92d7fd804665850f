#pragma once
/*
 * score_contrast - what the lists of one position show, that of the engine that gave the answer
 * and that of the engine that scored it. Scores are the model's own probabilities. So a systematic
 * difference is what the answer's engine did to its logprobs: a penalty moves tokens that stood in
 * the answer, and a temperature stretches all gaps.
 *
 * Tokens are compared that both lists have, and of these the more probable half. They are ordered
 * by the mean of both logprobs: a token that one engine alone puts first owes that to noise. The
 * less probable half is left out because noise decides which of its tokens both lists have. Pure.
 */
#include "analyzer/compare/tokens/cause_memory.h"
#include "analyzer/compare/tokens/listing.h"
#include "analyzer/compare/tokens/request_words.h"

struct score_contrast {
	/* How far the engine moves tokens that stood in the answer, nats: against the two new
	 * tokens around each, interpolated, which leaves out what any function of the
	 * probability does. Below 0: down. NaN: no such tokens. */
	double moved;
	/* Between the most and the least probable new token, nats; NaN: fewer than two. */
	double own_gap, scorer_gap;
};

/* at: the token's number in the answer; seen: those before it. New are tokens that are no word
 * of the request, either. */
struct score_contrast score_contrast_at(const struct listing *own, const struct listing *scorer,
        const struct cause_memory *seen, const struct request_words *words, uint32_t at);
