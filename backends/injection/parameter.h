#pragma once
/*
 * parameter - the sampling parameters: names, members in structs, defaults of engines, and off
 * values. Pure.
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
/* The value that the request sets, as this engine reads it: an engine knows only one of the two
 * names of the repetition penalty. NaN: not set. */
double parameter_asked(
        enum parameter p, const struct dialect *d, const struct request_facts *facts);

/* The engine's default: as its manifest states it (told; may be NULL), else as engines of this
 * dialect have it. NaN: unknown. */
double parameter_default(enum parameter p, const struct dialect *d, const struct sampling *told,
        enum endpoint endpoint);

/* True if the value switches the parameter off, for all engines or for d; never for a
 * temperature. */
bool parameter_is_off(enum parameter p, const struct dialect *d, double value);

/* The value in force. Off is always the same value: 1 for top_p and the repetition penalty, else
 * 0. */
double parameter_effective(enum parameter p, const struct dialect *d, const struct sampling *told,
        enum endpoint endpoint, const struct request_facts *facts);
