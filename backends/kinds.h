#pragma once
/*
 * kinds - what has been seen of backends: per backend, model, endpoint, streamed or not, with tools
 * or without, for clients that accept content codings or not.
 *
 * Also which refused injection, and for which it has ended. Process-wide, any thread; bounded: the entry that was of no use
 * longest goes.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/kind.h"

#define KINDS_LIMIT 1024
#define KINDS_MEMORY                                                                               \
	((uint64_t)3600 * 1000000000) /* ns that a refusal or a contradiction is remembered */

struct kinds;
struct kinds *kinds_create(void);
void kinds_destroy(struct kinds *k); /* NULL is fine */

struct kind_key {
	const char *backend;
	const char *model;
	enum endpoint endpoint;
	bool stream, tools;
	bool codings; /* the client accepts content codings */
};

/* Times are of clock_mono(). *ret_refused: nothing is to be injected, whatever the kind is. */
struct kind kinds_get(
        struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused);
/* UNKNOWN parts teach nothing. Two answers that differ (several engines behind one address) give
 * MIXED for an hour. */
void kinds_learn(struct kinds *k, const struct kind_key *key, struct kind kind, uint64_t now_ns);
/* The engine refused what was injected: for an hour nothing is. */
void kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
/* What is injected can't be cut: it ends for good. False: it had ended already. */
bool kinds_end(struct kinds *k, const struct kind_key *key);
