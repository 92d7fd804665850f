#pragma once
/*
 * filter - "KEY=VALUE" and "KEY!=VALUE": which requests, and which of their answers, are wanted.
 *
 * One language for all commands that choose from a capture; each says which keys it knows. Values of
 * model, session, category, backend, replica, status and outcome are patterns of the shell. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "capture/record.h"

#define FILTERS_LIMIT 16

/* The first ones have a place in the names of replays' runs: their numbers stay. */
enum filter_key {
	FILTER_MODEL, /* as the client asked for it */
	FILTER_ENDPOINT,
	FILTER_STREAM,
	FILTER_TOOLS,
	FILTER_ID,       /* what it begins or ends with */
	FILTER_SESSION,  /* its hash, hex */
	FILTER_CATEGORY, /* what kind of answer the prompt asks for */
	/* From here on of answers. */
	FILTER_BACKEND,
	FILTER_RUN, /* an id, or a name that the caller makes one of */
	FILTER_STATUS,
	FILTER_OUTCOME,
	FILTER_REPLICA, /* or the fingerprint */
	N_FILTER_KEYS,
};
#define FILTER_BIT(key) (1u << (key))
const char *filter_key_name(enum filter_key k);

struct filter {
	enum filter_key key;
	bool not ;
	const char *value; /* the caller's */
	struct id id;      /* FILTER_RUN: the caller sets it before it filters */
};

struct filters {
	struct filter items[FILTERS_LIMIT]; /* all must hold */
	size_t n;
	unsigned known; /* keys that may be given: FILTER_BIT()s */
};

/* NULL, or a sentence (the caller frees it). */
char *filters_parse(struct filters *f, const char *text) MUST_CHECK;
bool filters_have(const struct filters *f, enum filter_key key);

/* What is asked of a request. */
struct filter_request {
	struct id exchange;
	const char *model; /* or NULL */
	enum endpoint endpoint;
	bool stream, tools;
	const uint8_t *session; /* hash; all zero where there is none */
	const char *category;   /* or NULL: not known */
};
/* What its value is held against, appended; nothing where it is not said. False: an id, or a key of answers. */
bool filter_request_put(enum filter_key key, const struct filter_request *r, struct buf *to);
bool filters_take(const struct filters *f, const struct filter_request *r);
/* By the keys of answers alone. */
bool filters_take_leg(const struct filters *f, const struct leg_row *leg);
