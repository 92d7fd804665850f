#pragma once
/*
 * parameter - the sampling parameters: their names, their members in structs, engines' defaults,
 * and the values that switch them off. Pure.
 */
#include <stdbool.h>

#include "backends/dialects/dialect.h"
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

/* Such as "top_p"; for PARAMETER_REPETITION "repetition_penalty". */
const char *parameter_name(enum parameter p);
double parameter_of_sampling(enum parameter p, const struct sampling *s);
/* The value that the request sets, as this engine reads it: of the names of the repetition
 * penalty an engine knows only one. NaN: not set. */
double parameter_asked(
        enum parameter p, const struct dialect *d, const struct request_facts *facts);

/* The engine's default: `stated` by its manifest (may be NULL), else the value that engines of this
 * dialect usually have. NaN: unknown. */
double parameter_default(enum parameter p, const struct dialect *d, const struct sampling *stated,
        enum endpoint endpoint);

/* True if the value switches the parameter off, for all engines or for d; a temperature never
 * does. */
bool parameter_is_off(enum parameter p, const struct dialect *d, double value);

/* The value in force. A value that switches the parameter off is returned as 1 for top_p and the
 * repetition penalty, else as 0. NaN: unknown. */
double parameter_effective(enum parameter p, const struct dialect *d, const struct sampling *stated,
        enum endpoint endpoint, const struct request_facts *facts);
