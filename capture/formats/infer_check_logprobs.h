#pragma once
/*
 * infer_check_logprobs - converts infer-check's lists of tokens and numbers to the logprobs of a
 * chat's answer.
 *
 * It copies logprobs as written. Those of -9000 or less (infer-check writes -9999 for a missing
 * one) and those that are not finite become null.
 */
#include "capture/formats/format_sink.h"

struct infer_check_logprobs {         /* JSON; empty: absent */
	struct span tokens, logprobs; /* lists with one item a token */
	/* A list of numbers for each token. The numbers of one token are probabilities, which
	 * become logprobs, if at least one is above 0 and none below; else they are logprobs. */
	struct span distributions;
	/* distribution_metadata: an object for each token, whose member id_N names the token of
	 * number N (from 0). If this list and `distributions` differ in length, both are
	 * ignored. */
	struct span names;
};

/* Appends the JSON of a choice's logprobs. False: there are none, or it is unclear to which
 * tokens the numbers belong, which it reports to the sink; *to is then undefined. */
bool infer_check_logprobs_put(struct buf *to, const struct infer_check_logprobs *s,
        const struct format_sink *sink) MUST_CHECK;
