#pragma once
/*
 * decoding - decides from the requests and the known defaults of the engines how two answers were
 * decoded, and so which figures can compare them.
 */
#include "backends/dialects/dialect.h"
#include "backends/injection/parameter.h"
#include "capture/record.h"
#include "answers/request.h"

enum decoding {
	DECODING_GREEDY,  /* greedy on both sides: a differing text is evidence */
	DECODING_SAMPLED, /* sampled on both sides, with the same parameters: texts may differ */
	DECODING_UNLIKE,  /* the parameters in force differ; see struct decoding_reason */
	/* a temperature is left to the engine, whose default is not known; or a request is not
	 * JSON */
	DECODING_UNKNOWN,
	N_DECODINGS,
};

const char *decoding_name(enum decoding d); /* "greedy" */

/* One side of a pair. */
struct decoding_side {
	const struct request_facts *facts; /* facts of the request as sent to the backend */
	enum endpoint endpoint;
	const struct dialect *dialect; /* generic: the defaults are unknown */
	const struct sampling *stated; /* defaults that the manifest states; NULL: none */
	enum logprobs_basis basis;     /* as the manifest states, else as the dialect assumes */
	/* Finish reason of the answer; NULL: unknown. An engine's default limit of tokens does not
	 * count if this reason says that the limit did not cut the answer. */
	const char *finish;
	bool dropped; /* plumbline removed a member that the client had set (LEG_DROPPED) */
};

/* The first difference that decoding_judge() finds between the two sides. */
enum decoding_difference {
	DECODING_ALIKE,     /* there is no difference */
	DECODING_PARAMETER, /* a sampling parameter: decoding_reason.parameter */
	DECODING_CHOICES,   /* the number of choices, n */
	DECODING_LENGTH,    /* max_tokens */
	DECODING_DROPPED,   /* plumbline removed members that an engine does not accept */
};
const char *decoding_difference_name(enum decoding_difference d); /* "none", "parameter" */
struct decoding_reason {
	enum decoding_difference what;
	enum parameter parameter; /* for DECODING_PARAMETER */
	/* values in force for PARAMETER, CHOICES and LENGTH, else 0; NaN: not known; -1 for LENGTH:
	 * up to the end of the context */
	double base, test;
	bool base_default, test_default; /* the value is the engine's default */
};

/*
 * Decides how a pair was decoded, in this order:
 *
 *	1. A request is not JSON: DECODING_UNKNOWN.
 *	2. Members were dropped, or number of choices, penalties or limits differ: DECODING_UNLIKE.
 *	3. Temperature 0 or top_k 1 is in force on both sides: DECODING_GREEDY.
 *	4. Temperature, top_k, top_p or min_p differ: DECODING_UNLIKE.
 *	5. Both temperatures are known: DECODING_SAMPLED, else DECODING_UNKNOWN.
 *
 * A parameter that neither request sets differs only if both defaults are known and unequal. If one
 * side's value is not known and the other request sets the parameter, it counts as different,
 * except a penalty at its neutral value. *ret is set for all results; ret may be NULL.
 */
enum decoding decoding_judge(const struct decoding_side *base, const struct decoding_side *test,
        struct decoding_reason *ret);
/* Like decoding_judge(), for chats to engines with unknown defaults. */
enum decoding decoding_of_pair(const struct request_facts *base, const struct request_facts *test);

/* Orders reasons as qsort() needs it; 0: equal. */
int decoding_reason_compare(const struct decoding_reason *a, const struct decoding_reason *b);
/* The reason in words, the base's value first: "repetition_penalty 1.1 by default against 1 as
 * asked"; "" for DECODING_ALIKE. The caller frees it. */
char *decoding_reason_text(const struct decoding_reason *r);

/* True if plumbline's edits of the request may have changed the decoding: an edit removed
 * something, or inserted a parameter of decoding. The caller must then read the facts from the
 * body that the backend got. */
bool decoding_may_differ(const struct leg_row *leg);
