#pragma once
/*
 * injection - adds members to a request, so that the primary answers with logprobs, and cuts the
 * logprobs out of the answer before the client gets the answer.
 *
 * Members are added only if all of this is true:
 *
 *	- the settings want it, and the primary's dialect does not say that logprobs do harm
 *	  (unless `logprobs.inject: always`)
 *	- the exchange is within `logprobs.share`, and not in the share `logprobs.plain_share`
 *	- kinds.h knows the form of such answers
 *	- the engine has not refused added members within the last hour
 *
 * An answer to a request without added members passes unchanged; kinds.h may learn a form from it.
 *
 * With added members, the proxy holds one event of a stream, or the whole of any other answer (up
 * to `logprobs.limit`; blanks before the answer pass). If the answer has an unknown form or cannot
 * be cut, the proxy discards it before the client gets any data, and sends the request again as the
 * client wrote it. To make this possible, the proxy does two things:
 *
 *	- It sends a stream's head together with the first bytes of the body, unless comments
 *	  came first, and any other head at the end, unless blanks came first.
 *	- It keeps a whole answer that is no stream until the second attempt has a head with
 *	  2xx. If the second attempt fails, the client gets the first answer.
 *
 * Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backends/injection/inject.h"
#include "base/http.h"
#include "base/sse.h"
#include "proxy/injection_stop.h"

struct exchange;
struct leg;

enum injection_answer {
	ANSWER_PASSES,  /* sent on as it comes */
	ANSWER_IS_HELD, /* not a stream: held, and cut at its end */
	ANSWER_IS_CUT,  /* a stream, cut event by event */
};

enum injection_attempt {
	ATTEMPT_PLAIN,    /* without added members */
	ATTEMPT_INJECTED, /* with them */
	/* A second attempt, without them. Why: */
	RETRY_REFUSED, /* the engine refused them */
	RETRY_UNCUT,   /* the first answer cannot be cut */
	RETRY_UNKNOWN, /* the first answer had an unknown form */
	RETRY_LOST,    /* the engine closed the connection without an answer */
};

struct injection_state {
	enum injection_attempt attempt;
	enum injection_attempt next; /* why a second attempt is needed; ATTEMPT_PLAIN: none is */
	/* why this attempt's answer cannot be cut, and why the first one's could not;
	 * N_INJECTION_STOPS: no reason to stop injection */
	enum injection_stop stop, first_stop;
	bool wanted; /* the settings and the share want added members */
	/* the answer's duration counts in the comparison of answers with and without added
	 * members */
	bool timed;
	/* members were added, and the answer's form is not known yet */
	bool undecided;
	uint32_t answerer;          /* signature_head() of the answer */
	struct signature signature; /* of the answer to the request with added members */
	struct sse first;           /* parser that finds the first event with data */
	struct injection added;
	struct kind kind;
	uint64_t number;    /* kinds_number(), if logprobs were added; else 0 */
	struct edits edits; /* from the client's body to the edited one; moves to the leg */
	struct buf sent;    /* the edited body */
	size_t offset;      /* bytes of `sent` that the primary has read */
	enum injection_answer answer;
	struct http_head *held_head; /* head of this attempt's answer */
	struct buf held;             /* not a stream: the answer so far; counted in the budget */
	struct outline outline;      /* of `held`, when it is complete */
	/* leg of the first attempt, whose answer is in `held`; or NULL */
	struct leg *kept;
	struct cut_stream *cutter;
	size_t cutter_bytes; /* bytes that the cutter has in the budget */
	struct buf out;      /* working space: a piece of the answer after the cut */
	/* the answer is plain, and its whole body or first events will show its form */
	bool learning;
	bool learning_stream; /* that answer is a stream */
	/* plain answer from which kinds.h learns the form; counted in the budget */
	struct buf sample;
	bool sample_is_beginning; /* the answer has more than `sample` */
};

/* True if the body must be held, because it may be edited. Sets `wanted`. Call when the
 * request's head has come. */
bool injection_needs_body(struct exchange *e);
/* Call when the body is complete and parsed. Decides whether to add members; if so, edits the
 * body. */
void injection_prepare(struct exchange *e);
/* Reads the edited body; see upstream_pull_fn. */
ssize_t injection_pull(struct injection_state *s, char *buf, size_t cap);
/* Call the first when an answer's head has come, the second at the answer's end. True: a second
 * attempt without added members is needed, because the engine refused them, or the answer can't be
 * cut or has an unknown form; `next` is then set. injection_body() may set `next`, too. */
bool injection_head_fails(struct exchange *e, const struct http_head *head);
bool injection_end_is_strange(struct exchange *e);
/* Call when the primary closed the connection before an answer's head. True: send the request again
 * without the added members, which may be the reason. If that attempt succeeds, they count as the
 * reason. */
bool injection_loss_is_ours(struct exchange *e);
/* True if a second attempt may still become necessary after this head. */
bool injection_may_fail(const struct exchange *e, const struct http_head *head);
/* Prepares the second attempt that `next` asks for. Keeps a held first answer with its leg. */
void injection_begin_retry(struct exchange *e);
/* True in a second attempt, if the engine refused the added members or compressed its answer. */
bool injection_was_refused(const struct injection_state *s);
/* True if the first answer is kept, and the second attempt has no head with 2xx yet. */
bool injection_has_first_answer(const struct exchange *e);
/* Call when the second attempt failed. Puts the first leg back; injection_end() then sends its
 * answer. */
void injection_restore_first(struct exchange *e);

/* Pass the answer on to the client; call them in this order. injection_body() returns false to
 * pause the primary. */
void injection_head(struct exchange *e, const struct http_head *head);
bool injection_body(struct exchange *e, const char *data, size_t len);
void injection_end(struct exchange *e); /* the answer is complete */
/* Call when the answer broke off. Sends the held bytes of a stream as they are, so added members in
 * them reach the client. Does not send the held bytes of any other answer. */
void injection_broken(struct exchange *e);
void injection_finish(struct exchange *e); /* frees all and zeroes the state */
