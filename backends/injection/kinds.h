#pragma once
/*
 * kinds - remembers the kinds (kind.h) of backends' answers, and decides by them whether to inject.
 * There is one entry for each combination of backend, model, endpoint, streamed or not, with tools
 * or not, and whether the client accepts content codings.
 *
 * Plain answers (without injection) teach the kind. Several engines may answer at one address, one
 * after another or in turns; so an observation is kept for an hour together with the form of the
 * answer's signature (signature.h). The rules of injection:
 *
 * - Members are added to a request only if every form seen within the hour can be cut.
 *
 * - An injected answer is cut by what plain answers of its own form have shown. An answer of a form
 * that no plain answer has shown is *strange*: the client must get no byte of it.
 *
 * - If plain answers of one form need different cuts, they cannot be distinguished: nothing is
 * added until an hour has passed since one of the two was seen.
 *
 * - Some requests stay plain, so that the knowledge stays current: kinds_stay_plain().
 *
 * It also remembers why injection has ended. One object for the process; any thread. Memory is
 * bounded: the entry that was unused longest is dropped, and within an entry the form that was seen
 * longest ago.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/kind.h"
#include "backends/injection/signature.h"
#include "backends/injection/slowdown.h"

#define KINDS_LIMIT 1024 /* entries */
#define KINDS_FORMS 12   /* forms that an entry keeps */
#define KINDS_MEMORY                                                                               \
	((uint64_t)3600 * 1000000000) /* ns for which an observation or a refusal is remembered */
/* strange answers within KINDS_MEMORY after which injection pauses */
#define KINDS_STRANGE_LIMIT 16
#define KINDS_ERRORS_CHANCE 0.01
/* After a plain request, another one stays plain once KINDS_PAUSE ns have passed and
 * KINDS_TRAFFIC requests have come. */
#define KINDS_PAUSE ((uint64_t)60 * 1000000000)
#define KINDS_FIRST_SHARE 0.1 /* least share of plain requests until the slowdown was judged once */
#define KINDS_TRAFFIC 10

struct kinds;
struct kinds *kinds_create(void);
void kinds_destroy(struct kinds *k); /* NULL is fine */

/* Both texts are required; `kinds` copies them. */
struct kind_key {
	const char *backend;
	const char *model;
	enum endpoint endpoint;
	bool stream, tools;
	bool codings; /* the client accepts content codings */
};

/*
 * Returns the kind that fits every form seen within the hour. A member is KIND_MIXED if not all
 * forms can be cut. All members are KIND_UNKNOWN if no form was seen, or one was seen only in a
 * strange answer. now_ns: clock_mono(). *ret_refused, always set: nothing may be injected, whatever
 * the kind is.
 */
struct kind kinds_get(
        struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused);
/*
 * Decides whether a request that could be injected stays plain. The reasons:
 * - chance, with probability `share`; with `watched`, at least KINDS_FIRST_SHARE until the slowdown
 *   was judged once (KINDS_DRAWN);
 * - KINDS_PAUSE and KINDS_TRAFFIC are reached, and share is above 0;
 * - kinds_doubt().
 */
enum kinds_plain { KINDS_INJECTED, KINDS_PLAIN, KINDS_DRAWN /* plain, at random */ };
struct kinds_draw {
	double number; /* a random number in [0, 1) */
	double share;  /* 0: no request stays plain at random or by time */
	bool watched;
};
enum kinds_plain kinds_stay_plain(
        struct kinds *k, const struct kind_key *key, struct kinds_draw draw, uint64_t now_ns);
/* Adds the duration of an answer whose request was assigned at random to be injected or plain.
 * Arguments and result: as slowdown_add(). */
bool kinds_add_time(struct kinds *k, const struct kind_key *key, bool injected, double time,
        struct slowdown_ratio *ret);
/* Learns from a plain answer of this form. Does nothing if kind.logprobs and kind.usage are both
 * KIND_UNKNOWN. True: this answer made the logprobs of kinds_get() KIND_MIXED. */
bool kinds_learn(struct kinds *k, const struct kind_key *key, uint64_t form, struct kind kind,
        uint64_t now_ns);
/* True if a plain answer with this head (signature_head()) was seen within the hour. */
bool kinds_know_head(struct kinds *k, const struct kind_key *key, uint32_t head, uint64_t now_ns);
/*
 * Finds the kind with which to cut an injected answer. *ret, always set: what plain answers of its
 * form have shown. False: the answer is strange, because *ret cannot cut what was injected, or all
 * earlier injected answers of this form had another style.
 */
bool kinds_find(struct kinds *k, const struct kind_key *key, struct signature s,
        const struct injection *injected, uint64_t now_ns, struct kind *ret) MUST_CHECK;
/* Call it if a strange answer's request, sent again, got a plain answer of the same form. */
void kinds_accept(struct kinds *k, const struct kind_key *key, struct signature s);
/*
 * Call it for a strange answer: until a plain answer shows its form, kinds_get() returns
 * KIND_UNKNOWN. If the lower half of form is 0, a plain answer with the same head (the upper half)
 * is enough. True: KINDS_STRANGE_LIMIT is reached, so the caller should call kinds_refused().
 */
bool kinds_learn_strange(
        struct kinds *k, const struct kind_key *key, uint64_t form, uint64_t now_ns) MUST_CHECK;
/* Call it if an engine gave no answer to injected members, but one to the plain request. Counts and
 * returns as kinds_learn_strange(). */
bool kinds_count_loss(struct kinds *k, const struct kind_key *key, uint64_t now_ns) MUST_CHECK;
/*
 * Call it for each complete stream. injected: its request was; error: the stream has one. If both
 * are true, the next request of this key stays plain. True: within the hour, the share of streams
 * with an error was larger with injected members, and the probability of so many by chance is less
 * than KINDS_ERRORS_CHANCE. Then the count begins again.
 */
bool kinds_count_stream(struct kinds *k, const struct kind_key *key, bool injected, bool error,
        uint64_t now_ns) MUST_CHECK;
/* Call it if the backend may have been replaced: the next request of each key of this backend stays
 * plain. */
void kinds_doubt(struct kinds *k, const char *backend);
/*
 * Call it if another engine answers: forgets all forms of the backend. is_new: this engine was not
 * seen before, so injection starts again even if it had ended, was refused or was slow.
 */
void kinds_forget(struct kinds *k, const char *backend, bool is_new);
/*
 * Call it if the engine refused the injected members, or an answer could not be cut: for an hour
 * nothing is injected. False: that was already so.
 */
bool kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
/* Call it if the engine refused a request with injected token ids: for an hour kinds_get()
 * returns KIND_UNKNOWN for them. */
void kinds_ids_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns);
/* Ends injection until kinds_forget() with is_new. False: it had ended already. */
bool kinds_end(struct kinds *k, const struct kind_key *key);
/* A number that stands for a key, for code that has only an answer; never 0. */
uint64_t kinds_number(struct kinds *k, const struct kind_key *key);
/* As kinds_end(), for a number from kinds_number(). *ret_key has copies of the texts in one block;
 * the caller frees ret_key->backend. False: the number is unknown, or injection had ended. */
bool kinds_end_number(struct kinds *k, uint64_t number, struct kind_key *ret_key);
