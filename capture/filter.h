#pragma once
/*
 * filter - conditions KEY=VALUE and KEY!=VALUE, which select requests and answers.
 *
 * All commands that select from a capture use them; each command says which keys it supports.
 * Values are shell patterns, except those of id, run, stream and tools (yes or no). Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "capture/record.h"

#define FILTERS_LIMIT 16

/* Do not change the values of the keys that select requests: the names of replays' runs contain
 * them. */
enum filter_key {
	FILTER_MODEL, /* as the client named it */
	FILTER_ENDPOINT,
	FILTER_STREAM,
	FILTER_TOOLS,
	FILTER_ID,       /* the beginning or end of the exchange's id */
	FILTER_SESSION,  /* the session's hash, hex */
	FILTER_CATEGORY, /* kind of task, such as the category that a suite states */
	/* The keys from here on select answers, the keys before select requests. */
	FILTER_BACKEND,
	FILTER_RUN, /* an id, or a name that the caller resolves */
	FILTER_STATUS,
	FILTER_OUTCOME,
	FILTER_REPLICA, /* the replica, or else the system fingerprint */
	N_FILTER_KEYS,
};
#define FILTER_BIT(key) (1u << (key))
const char *filter_key_name(enum filter_key k);

struct filter {
	enum filter_key key;
	bool not ;
	const char *value; /* owned by the caller */
	struct id id;      /* FILTER_RUN: the caller sets it before filtering */
};

struct filters {
	struct filter items[FILTERS_LIMIT]; /* a request or answer must meet all of them */
	size_t n;
	unsigned known; /* the keys that the command supports: a set of FILTER_BIT() */
};

/* Adds a condition. Returns NULL, or a sentence. f->known must be set; text must outlive f. */
char *filters_parse(struct filters *f, const char *text) MUST_CHECK;
bool filters_have(const struct filters *f, enum filter_key key);

/* The properties of a request that conditions can name. */
struct filter_request {
	struct id exchange;
	const char *model; /* or NULL */
	enum endpoint endpoint;
	bool stream, tools;
	const uint8_t *session; /* REQUEST_HASH_SIZE bytes; all zero: none */
	const char *category;   /* or NULL: unknown */
};
/* Appends the request's text with which a condition's value is compared; nothing for an unknown
 * model or category. False: the key is FILTER_ID or selects answers. */
bool filter_request_put(enum filter_key key, const struct filter_request *r, struct buf *to);
/* True if the request meets the conditions with keys of requests. */
bool filters_match(const struct filters *f, const struct filter_request *r);
/* True if the leg meets the conditions with keys of answers; ignores the other conditions. */
bool filters_match_leg(const struct filters *f, const struct leg_row *leg);
