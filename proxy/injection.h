#pragma once
/*
 * injection - adds members to the primary's request, so that it answers with logprobs, and cuts
 * them out of the answer before the client gets it.
 *
 * Nothing is added unless all of this holds: the settings want it, the exchange is within
 * `logprobs.share`, kinds.h knows the form of such answers, and the engine has not refused within
 * the hour. An answer to a request without added members passes untouched; it may be read at its
 * end, to learn its form.
 *
 * With added members a unary answer is held to its end (up to `logprobs.limit`), a stream by one
 * event. If its form is unknown, it is discarded before the client gets any data, and the request
 * is sent again as the client wrote it. So a stream's head is sent with the first bytes of its
 * body, unless comments came first. A whole unary answer of unknown form is kept until the second
 * attempt has a head with 2xx, and is sent if that fails. Part of exchange; loop thread only.
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
	ANSWER_PASSES,  /* as it comes */
	ANSWER_IS_HELD, /* a unary answer: cut at its end */
	ANSWER_IS_CUT,  /* a stream: cut event by event */
};

enum injection_attempt {
	ATTEMPT_PLAIN,    /* without added members */
	ATTEMPT_INJECTED, /* with them */
	/* The second, without them, because of the first: */
	RETRY_REFUSED, /* the engine refused them */
	RETRY_CODED,   /* its answer had a content coding */
	RETRY_UNKNOWN, /* its answer had an unknown form */
};

struct injection_state {
	enum injection_attempt attempt;
	enum injection_attempt next; /* a second attempt that is needed, or ATTEMPT_PLAIN: none */
	bool wanted;                 /* by settings and share */
	bool timed;                  /* drawn at random, to compare times with and without */
	bool undecided;              /* has added members; its form is not seen yet */
	uint32_t answerer;           /* signature of the answer's head */
	struct signature signature;  /* of the answer of unknown form */
	struct sse first;            /* parser that finds the first event with data */
	struct injection added;
	struct kind kind;
	uint64_t number;    /* kinds_number(), if logprobs were added; else 0 */
	struct edits edits; /* from the client's request to this one; moves to the leg */
	struct buf sent;    /* the edited body */
	size_t offset;      /* bytes of it that the primary has taken */
	enum injection_answer answer;
	struct http_head *held_head; /* of the answer to this attempt */
	struct buf held;             /* the unary answer so far; in the budget */
	struct leg *kept;            /* of the first attempt, whose answer is in held; or NULL */
	struct cut_stream *cutter;
	size_t cutter_bytes; /* that it holds; in the budget */
	struct buf out;      /* what is left of a piece after the cut */
	bool learning;
	bool learning_stream;
	struct buf sample; /* of a plain answer, to learn from; in the budget */
};

/* At the request's head: its body must be held, since it may be edited. */
bool injection_needs_body(struct exchange *e);
/* The body is complete and parsed: decides whether to add members, and edits it. */
void injection_prepare(struct exchange *e);
ssize_t injection_pull(struct injection_state *s, char *buf, size_t cap);
/*
 * True: a second attempt without added members is needed, since the engine refused them, or its
 * answer can't be cut, or has an unknown form, by its head or its end. After injection_body()
 * state.next says the same.
 */
bool injection_head_fails(struct exchange *e, const struct http_head *head);
bool injection_end_is_strange(struct exchange *e);
/* After the head: a second attempt may still become necessary. */
bool injection_may_fail(const struct exchange *e, const struct http_head *head);
void injection_begin_retry(struct exchange *e);
/* The first answer is kept, and the second attempt has no head with 2xx yet. */
bool injection_has_first_answer(const struct exchange *e);
/* The second attempt failed: takes the first leg back; then injection_end() sends its answer. */
void injection_restore_first(struct exchange *e);

/* The answer, in this order: writes the response. body false: pause the primary. */
void injection_head(struct exchange *e, const struct http_head *head);
bool injection_body(struct exchange *e, const char *data, size_t len);
void injection_end(struct exchange *e); /* it is complete */
void injection_broken(
        struct exchange *e); /* it broke off: sends what is held of a stream as it is */
void injection_finish(struct exchange *e); /* frees everything */
