#pragma once
/*
 * filter - "KEY=VALUE" and "KEY!=VALUE": selects requests and answers.
 *
 * One language for all commands that select from a capture; each one says which keys it supports.
 * Values of model, session, category, backend, replica, status and outcome are shell patterns.
 * Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "capture/record.h"

#define FILTERS_LIMIT 16

/* The numbers of the keys of requests must not change: they are part of the names of replays'
 * runs. */
enum filter_key {
	FILTER_MODEL, /* as the client named it */
	FILTER_ENDPOINT,
	FILTER_STREAM,
	FILTER_TOOLS,
	FILTER_ID,       /* its beginning or end */
	FILTER_SESSION,  /* its hash, hex */
	FILTER_CATEGORY, /* kind of answer that the prompt asks for */
	/* The keys below select answers; those above select requests. */
	FILTER_BACKEND,
	FILTER_RUN, /* an id, or a name that the caller resolves */
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
	struct id id;      /* FILTER_RUN: the caller sets it before filtering */
};

struct filters {
	struct filter items[FILTERS_LIMIT]; /* all must hold */
	size_t n;
	unsigned known; /* supported keys: FILTER_BIT()s */
};

/* Returns NULL, or a sentence that the caller frees. */
char *filters_parse(struct filters *f, const char *text) MUST_CHECK;
bool filters_have(const struct filters *f, enum filter_key key);

/* The properties of a request that can be filtered. */
struct filter_request {
	struct id exchange;
	const char *model; /* or NULL */
	enum endpoint endpoint;
	bool stream, tools;
	const uint8_t *session; /* hash; all zero: none */
	const char *category;   /* or NULL: unknown */
};
/* Appends the text that the value is compared with; nothing if unknown. False: an id, or a key of
 * answers. */
bool filter_request_put(enum filter_key key, const struct filter_request *r, struct buf *to);
bool filters_take(const struct filters *f, const struct filter_request *r);
/* Applies only the keys of answers. */
bool filters_take_leg(const struct filters *f, const struct leg_row *leg);
