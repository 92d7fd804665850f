#pragma once
/*
 * scores - converts infer-check's lists of tokens and numbers to logprobs of a chat's answer.
 *
 * Numbers are copied as written. infer-check's -9999 means a missing logprob. Distributions are
 * logprobs or probabilities, distinguished by their sign, as in its own code.
 */
#include "capture/formats/import_format.h"

struct scores {                                             /* JSON; empty: absent */
	struct span tokens, logprobs, distributions, names; /* names: distribution_metadata */
};

/* Appends the JSON of a choice's logprobs. False: there are none, or their assignment is unclear,
 * which is reported to the sink; *to is then undefined. */
bool scores_put(struct buf *to, const struct scores *s, const struct import_sink *sink) MUST_CHECK;
