#pragma once
/*
 * injection - adds members to the primary's request, so that it answers with logprobs, and cuts
 * them out of the answer before the client gets it.
 *
 * Nothing is added unless all of this holds: the settings want it, the exchange is within
 * `logprobs.share`, kinds.h knows the form of such answers, and the engine has not refused them
 * within the last hour. An answer to a request without added members passes untouched; its end may
 * show kinds.h what form it has.
 *
 * With added members, a unary answer is held to its end (up to `logprobs.limit`), a stream by one
 * event. If the form of the answer is unknown, the proxy discards it before the client gets any
 * data, and sends the request again as the client wrote it. To keep this possible, it sends a
 * stream's head together with the first bytes of its body, unless comments came first. It keeps a
 * whole unary answer of unknown form until the second attempt has a head with 2xx, and sends the
 * first answer if the second attempt fails. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backends/injection/inject.h"
#include "base/http.h"
#include "base/sse.h"

struct exchange;
struct leg;

enum injection_answer {
	ANSWER_PASSES,  /* sent on as it comes */
	ANSWER_IS_HELD, /* a unary answer, cut at its end */
	ANSWER_IS_CUT,  /* a stream, cut event by event */
};

enum injection_attempt {
	ATTEMPT_PLAIN,    /* without added members */
	ATTEMPT_INJECTED, /* with them */
	/* A second attempt, without them. Why: */
	RETRY_REFUSED, /* the engine refused them */
	RETRY_CODED,   /* the first answer had a content coding */
	RETRY_UNKNOWN, /* the first answer had an unknown form */
};

struct injection_state {
	enum injection_attempt attempt;
	enum injection_attempt next; /* the second attempt that is needed; ATTEMPT_PLAIN: none */
	bool wanted;                 /* the settings and the share want added members */
	/* drawn at random, to compare durations with and without injection */
	bool timed;
	/* members were added, and the answer's form is not known yet */
	bool undecided;
	uint32_t answerer;          /* signature_head() of the answer */
	struct signature signature; /* signature of an answer of unknown form */
	struct sse first;           /* parser that finds the first event with data */
	struct injection added;
	struct kind kind;
	uint64_t number;    /* kinds_number(), if logprobs were added; else 0 */
	struct edits edits; /* from the client's body to the edited one; moves to the leg */
	struct buf sent;    /* the edited body */
	size_t offset;      /* bytes of `sent` that the primary has read */
	enum injection_answer answer;
	struct http_head *held_head; /* head of this attempt's answer */
	struct buf held;             /* the unary answer so far; counted in the budget */
	/* leg of the first attempt, whose answer is in `held`; or NULL */
	struct leg *kept;
	struct cut_stream *cutter;
	size_t cutter_bytes; /* bytes that the cutter has in the budget */
	struct buf out;      /* rest of a piece after the cut */
	bool learning;
	bool learning_stream;
	/* plain answer from which kinds.h learns the form; counted in the budget */
	struct buf sample;
};

/* True if the body must be held, because it may be edited. Call at the request's head. */
bool injection_needs_body(struct exchange *e);
/* Call when the body is complete and parsed. Decides whether to add members, and edits the body. */
void injection_prepare(struct exchange *e);
/* The edited body, as upstream_pull_fn. */
ssize_t injection_pull(struct injection_state *s, char *buf, size_t cap);
/*
 * Call at the head and at the end of an answer. True: a second attempt without added members is
 * needed, because the engine refused them, the answer can't be cut, or its form is unknown. After
 * injection_body(), look at injection_state.next instead.
 */
bool injection_head_fails(struct exchange *e, const struct http_head *head);
bool injection_end_is_strange(struct exchange *e);
/* True if a second attempt may still become necessary after this head. */
bool injection_may_fail(const struct exchange *e, const struct http_head *head);
void injection_begin_retry(struct exchange *e);
/* True if the first answer is kept, and the second attempt has no head with 2xx yet. */
bool injection_has_first_answer(const struct exchange *e);
/* Call when the second attempt failed. Takes the first leg back; injection_end() then sends its
 * answer. */
void injection_restore_first(struct exchange *e);

/* Pass on the answer; call them in this order. They write the response. injection_body() returns
 * false to pause the primary. */
void injection_head(struct exchange *e, const struct http_head *head);
bool injection_body(struct exchange *e, const char *data, size_t len);
void injection_end(struct exchange *e); /* the answer is complete */
/* The answer broke off: sends the bytes of a stream that are held, without a cut. */
void injection_broken(struct exchange *e);
void injection_finish(struct exchange *e); /* frees everything */
