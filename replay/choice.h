#pragma once
/*
 * choice - which requests of a source are replayed: filters, a sample, a limit.
 *
 * Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "reading/request.h"

#define CHOICE_FILTERS_LIMIT 16

enum choice_field {
	CHOICE_MODEL, /* a pattern of the shell */
	CHOICE_ENDPOINT,
	CHOICE_STREAM,
	CHOICE_TOOLS,
	CHOICE_ID,
};

struct choice_filter {
	enum choice_field field;
	bool not ;
	const char *value; /* the caller's */
};

struct choice_rules {
	struct choice_filter filters[CHOICE_FILTERS_LIMIT]; /* all must hold */
	size_t n_filters;
	double share; /* 0 to 1; 1: all */
	bool by_session;
	uint64_t seed;
};

/* What is asked of a request. */
struct choice_facts {
	struct id exchange;
	const char *model; /* or NULL */
	enum endpoint endpoint;
	bool stream, tools;
	const uint8_t *session; /* hash; all zero where there is none */
};

/* "FIELD=VALUE" or "FIELD!=VALUE". NULL, or a sentence (the caller frees it). */
char *choice_parse(struct choice_rules *r, const char *text) MUST_CHECK;
bool choice_takes(const struct choice_rules *r, const struct choice_facts *f);
