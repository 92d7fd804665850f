#pragma once
/*
 * infer_check_logprobs - converts infer-check's lists of tokens and numbers to the logprobs of a
 * chat's answer.
 *
 * It copies logprobs as written; infer-check's -9999 means a missing one. Distributions are
 * logprobs or probabilities, which become logprobs; the sign decides which, as in infer-check's
 * code.
 */
#include "capture/formats/import_format.h"

struct infer_check_logprobs {                               /* JSON; empty: absent */
	struct span tokens, logprobs, distributions, names; /* names: distribution_metadata */
};

/* Appends the JSON of a choice's logprobs. False: there are none, or it is unclear to which
 * tokens the numbers belong, which it reports to the sink; *to is then undefined. */
bool infer_check_logprobs_put(struct buf *to, const struct infer_check_logprobs *s,
        const struct format_sink *sink) MUST_CHECK;
