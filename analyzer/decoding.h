#pragma once
/*
 * decoding - how two answers were decoded, as far as the requests tell: what may be held against
 * what.
 */
#include "capture/record.h"
#include "reading/request.h"

enum decoding {
	DECODING_GREEDY,  /* on both sides: a differing text is evidence */
	DECODING_SAMPLED, /* with like parameters: differing texts are expected */
	DECODING_UNLIKE,  /* the legs were asked with different parameters */
	DECODING_UNKNOWN, /* the temperature is the engine's own default */
	N_DECODINGS,
};

const char *decoding_name(enum decoding d); /* "greedy" */

/*
 * Of a pair, from the facts of the requests as they were sent. Greedy: temperature 0 or top_k 1.
 * Penalties and limits must then still agree; what only shapes sampling need not.
 */
enum decoding decoding_of_pair(const struct request_facts *base, const struct request_facts *test);

/* The leg's edits may have changed how it was decoded: its facts must be read from the body as
 * sent. */
bool decoding_may_differ(const struct leg_row *leg);
