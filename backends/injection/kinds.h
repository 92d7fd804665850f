#pragma once
/*
 * kinds - what has been seen of backends: per backend, model, endpoint, streamed or not, with tools
 * or without, for clients that accept content codings or not.
 *
 * The rule of injection. Plain answers teach: what one showed is kept for an hour with the form of
 * its signature (signature.h), since several engines may answer at one address, one after another
 * or by turns.
 *
 *  - Fields are added to a request only if every form seen within the hour can be cut.
 *  - An answer with added fields is cut by what was learned of its own form. An answer of a form
 *    that no plain answer has shown is *strange*: no data of it may reach the client.
 *  - Plain answers of one form that need different cuts can't be told apart: nothing is added
 *    until an hour has passed since one of the two was seen.
 *  - Some requests stay plain, to keep this current: kinds_stay_plain().
 *
 * Also why injection has ended. Process-wide, any thread; bounded: the entry that was of no use
 * longest goes, and of an entry the form that was seen longest ago.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/kind.h"
#include "backends/injection/signature.h"
#include "backends/injection/slowdown.h"

#define KINDS_LIMIT 1024
#define KINDS_FORMS 12 /* observations that an entry keeps */
#define KINDS_MEMORY                                                                               \
	((uint64_t)3600 * 1000000000) /* how long an observation or a refusal is remembered, ns */
#define KINDS_STRANGE_LIMIT 16        /* strange answers within that time before injection pauses */
/* A request stays plain if this time (ns) has passed, and KINDS_TRAFFIC requests have come, since
 * the last plain one. */
#define KINDS_PAUSE ((uint64_t)60 * 1000000000)
#define KINDS_FIRST_SHARE 0.1 /* least share of plain requests until slowness was judged once */
#define KINDS_TRAFFIC 10

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

/*
 * What every form seen within the hour needs; KIND_MIXED where forms can't all be cut, UNKNOWN
 * where nothing was seen or a form was seen in a strange answer only. Times are of clock_mono().
 * *ret_refused: nothing is to be injected, whatever the kind is.
 */
struct kind kinds_get(
        struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused);
/*
 * Whether a request that could be injected stays plain: drawn at random, at a share of
 * KINDS_FIRST_SHARE at least until slowness was judged once if it is watched; or (share above 0)
 * because a minute has passed since the last one and ten requests have come since; or because of
 * kinds_doubt().
 */
enum kinds_plain { KINDS_INJECTED, KINDS_PLAIN, KINDS_DRAWN /* plain, at random */ };
struct kinds_draw {
	double number; /* in [0, 1), by chance */
	double share;  /* 0: none at random or by time */
	bool watched;
};
enum kinds_plain kinds_stay_plain(
        struct kinds *k, const struct kind_key *key, struct kinds_draw draw, uint64_t now_ns);
/* The duration of an answer that was drawn for one side or the other. As slowdown_add(). */
bool kinds_took(struct kinds *k, const struct kind_key *key, bool injected, double time,
        struct slowdown_ratio *ret);
/* Learns from a plain answer of this form. Ignored if both parts are UNKNOWN. */
void kinds_learn(struct kinds *k, const struct kind_key *key, uint64_t form, struct kind kind,
        uint64_t now_ns);
/* Whether a plain answer with this head (the upper half of a form) was seen within the hour. */
bool kinds_know_head(struct kinds *k, const struct kind_key *key, uint32_t head, uint64_t now_ns);
/*
 * The cut of an injected answer. False: it is strange, because its form is not known or can't be
 * cut, or because injected answers of this form had another style until now.
 */
bool kinds_find(struct kinds *k, const struct kind_key *key, struct signature s,
        const struct injection *injected, uint64_t now_ns, struct kind *ret) MUST_CHECK;
/* The request of a strange answer was sent again, and the plain answer had the same form. */
void kinds_accept(struct kinds *k, const struct kind_key *key, struct signature s);
/*
 * A strange answer arrived: until a plain answer shows its form (or its head, if the lower half is
 * 0), kinds_get() returns UNKNOWN.
 */
void kinds_strange(struct kinds *k, const struct kind_key *key, uint64_t form, uint64_t now_ns);
/* The backend may have been replaced: the next request of each kind stays plain. */
void kinds_doubt(struct kinds *k, const char *backend);
/*
 * Another engine answers: all forms are forgotten. is_new: this engine was not seen before;
 * injection then starts again where it had ended, was refused or was slow.
 */
void kinds_forget(struct kinds *k, const char *backend, bool is_new);
/*
 * The engine refused what was injected, or an answer could not be cut: for an hour nothing is
 * injected. False: nothing was already.
 */
bool kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
/* The engine refused a request with token ids among what was injected: for an hour kinds_get() says
 * that they are UNKNOWN. */
void kinds_ids_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
/* Injection ends until kinds_forget() of a new engine. False: it had ended already. */
bool kinds_end(struct kinds *k, const struct kind_key *key);
/* A number that identifies a key where only its answer is available; never 0. */
uint64_t kinds_number(struct kinds *k, const struct kind_key *key);
/* As kinds_end(), for a number from kinds_number(). *ret_key has copies of the texts; the caller
 * frees its backend. */
bool kinds_end_number(struct kinds *k, uint64_t number, struct kind_key *ret_key);
