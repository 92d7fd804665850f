#pragma once
/*
 * decoding - how two answers were decoded, as far as the requests tell and the engines are known to
 * take what is left unset: what may be held against what.
 */
#include "backends/dialect.h"
#include "backends/injection/parameter.h"
#include "capture/record.h"
#include "answers/request.h"

enum decoding {
	DECODING_GREEDY,  /* on both sides: a differing text is evidence */
	DECODING_SAMPLED, /* with like parameters: differing texts are expected */
	DECODING_UNLIKE,  /* the parameters in force differ */
	DECODING_UNKNOWN, /* the temperature is the engine's own default, and that is not known */
	N_DECODINGS,
};

const char *decoding_name(enum decoding d); /* "greedy" */

/* One side of a pair. */
struct decoding_side {
	const struct request_facts *facts; /* of the request as it was sent */
	enum endpoint endpoint;
	const struct dialect *dialect; /* generic: nothing is known of its defaults */
	const struct sampling *told;   /* defaults that its manifest tells; NULL: none */
	enum logprobs_basis basis;     /* as its manifest tells, else as the dialect has it */
	const char *finish; /* of the answer; a limit by default matters where it was met */
	bool dropped;       /* aligning took out what the client had set (LEG_DROPPED) */
};

/* The first thing in which the two sides differ. */
enum decoding_difference {
	DECODING_ALIKE,
	DECODING_PARAMETER, /* the parameter */
	DECODING_CHOICES,   /* n */
	DECODING_LENGTH,    /* max_tokens; -1: to the context's end */
	DECODING_DROPPED,   /* members were taken out for a strict engine */
};
const char *decoding_difference_name(enum decoding_difference d); /* "none", "parameter" */
struct decoding_reason {
	enum decoding_difference what;
	enum parameter parameter;
	double base, test;               /* values in force; NaN: not known */
	bool base_default, test_default; /* not requested: the engine's own */
};

/*
 * Of a pair. Greedy: temperature 0 or top_k 1 in force on both sides. Penalties and limits must then
 * still agree; what only shapes sampling need not. A parameter that is unset on both sides differs
 * only if both defaults are known; a penalty that is set to nothing is like one that is unset where
 * the default is not known. ret (may be NULL): why, when it is UNLIKE.
 */
enum decoding decoding_judge(const struct decoding_side *base, const struct decoding_side *test,
        struct decoding_reason *ret);
/* The same of engines of which nothing is known. */
enum decoding decoding_of_pair(const struct request_facts *base, const struct request_facts *test);

/* As qsort() has it; 0: they are equal. */
int decoding_reason_compare(const struct decoding_reason *a, const struct decoding_reason *b);
/* "repetition_penalty 1.1 by default against 1 as asked", the base's value first; the caller frees
 * it. */
char *decoding_reason_text(const struct decoding_reason *r);

/* The leg's edits may have changed how it was decoded: its facts must be read from the body as
 * sent. */
bool decoding_may_differ(const struct leg_row *leg);
