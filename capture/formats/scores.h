#pragma once
/*
 * scores - infer-check's lists of tokens and numbers as a chat's answer has them.
 *
 * Numbers are copied as they are written. Its -9999 stands for a logprob that was missing. Distributions
 * are logprobs, or probabilities, told apart by their sign as its own code does.
 */
#include "capture/formats/import_format.h"

struct scores {                                             /* JSON; empty: there are none */
	struct span tokens, logprobs, distributions, names; /* names: distribution_metadata */
};

/* The JSON of a choice's logprobs. False, with to as it may be: there are none, or it can't be told which
 * belongs to which, which the sink is told. */
bool scores_put(struct buf *to, const struct scores *s, const struct import_sink *sink) MUST_CHECK;
