#pragma once
/*
 * parameter - the sampling parameters one by one: their names, where the structs keep them, what an
 * engine takes for one that is left unset, and when it is off. Pure.
 */
#include <stdbool.h>

#include "backends/dialect.h"
#include "answers/request.h"

enum parameter {
	PARAMETER_TEMPERATURE,
	PARAMETER_TOP_P,
	PARAMETER_TOP_K,
	PARAMETER_MIN_P,
	PARAMETER_REPETITION, /* the dialect's repetition_name */
	PARAMETER_PRESENCE,
	PARAMETER_FREQUENCY,
	N_PARAMETERS,
};

const char *parameter_name(
        enum parameter p); /* "top_p"; the repetition's is "repetition_penalty" */
double parameter_of_sampling(enum parameter p, const struct sampling *s);
double parameter_of_request(enum parameter p, const struct request_facts *facts);
/* As this engine reads it: of the two names of the repetition penalty it knows one. NaN: not asked
 * for. */
double parameter_asked(
        enum parameter p, const struct dialect *d, const struct request_facts *facts);

/* As the manifest tells (told may be NULL), else as the dialect is believed to have it; NaN. */
double parameter_default(enum parameter p, const struct dialect *d, const struct sampling *told,
        enum endpoint endpoint);

/* In the words of all engines or in d's own; a temperature never is. */
bool parameter_is_off(enum parameter p, const struct dialect *d, double value);

/* What is in force; what is off is said in one way: 1 for top_p and the repetition penalty, else 0. */
double parameter_effective(enum parameter p, const struct dialect *d, const struct sampling *told,
        enum endpoint endpoint, const struct request_facts *facts);
