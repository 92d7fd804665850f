#pragma once
/*
 * kinds - what has been seen of backends: per backend, model, endpoint, streamed or not, with tools
 * or without.
 *
 * Also which refused injection. Process-wide, any thread; bounded: the entry that was of no use
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
};

/* Times are of clock_mono(). *ret_refused: within the last hour the engine refused what was
 * injected. */
struct kind kinds_get(
        struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused);
/* UNKNOWN parts teach nothing. Two answers that differ (several engines behind one address) give
 * MIXED for an hour. */
void kinds_learn(struct kinds *k, const struct kind_key *key, struct kind kind, uint64_t now_ns);
void kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
