#pragma once
/*
 * score_contrast - compares two lists for one position: that of the engine that generated the
 * answer (*own*), and that of the engine that scored it. Scores are the model's unmodified
 * probabilities, so a systematic difference is a change that the answer's engine made: a penalty
 * moves tokens that already occurred in the answer, a temperature scales all gaps.
 *
 * It compares only tokens that are in both lists, and of these only the more probable half, but at
 * least three: in the less probable half, noise decides which tokens are in both lists. The order
 * is by the mean of both logprobs; in an order by one logprob, noise would decide which token is
 * first. Pure.
 */
#include "analyzer/compare/tokens/recent_tokens.h"
#include "analyzer/compare/tokens/listing.h"
#include "analyzer/compare/tokens/request_words.h"

struct score_contrast {
	/* Let d be a token's own logprob minus the scorer's. For each token that already occurred
	 * in the answer, take d minus the d interpolated between the two nearest new tokens (one
	 * more probable, one less). `moved` is the mean of these differences, nats. The
	 * interpolation removes the effect of any function of the probability, such as a
	 * temperature. Below 0: the answer's engine made the tokens that occurred less probable.
	 * NaN: none of these tokens is between two new ones. */
	double moved;
	/* In each list, the logprob of the most probable new token minus that of the least probable
	 * new token, nats; the mean of both logprobs orders the tokens. NaN: fewer than two new
	 * tokens. */
	double own_gap, scorer_gap;
};

/* Compares both lists for the token with index `at` in the answer. seen: the tokens before `at`.
 * words: the words of the request. A token is new if it is in neither. */
struct score_contrast score_contrast_at(const struct listing *own, const struct listing *scorer,
        const struct recent_tokens *seen, const struct request_words *words, uint32_t at);
