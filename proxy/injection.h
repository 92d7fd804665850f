#pragma once
/*
 * injection - what one exchange adds to the primary's request, and how its answer reaches the
 * client without it.
 *
 * Nothing is added unless the settings say so, the exchange is within the share, what was learned
 * of the engine allows it (kinds.h has the rule), and it has not refused within the hour. An answer
 * without added fields passes untouched; where it can teach something it is looked at once it has
 * ended. With added fields a unary answer is held to its end (up to inject_limit) and a stream by
 * the event; it is cut by what plain answers of its own form have shown. A strange one, whose form
 * none has shown, is thrown away before the client gets any data of it, and the request is sent
 * once more as the client wrote it. A stream's head goes out with the first bytes of its body, so
 * that the second answer can begin with its own head, unless comments came first. A whole unary
 * answer is kept until the second one has a head with 2xx; if that fails, the client gets the
 * kept one. Functions of the exchange's loop thread.
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
	ANSWER_IS_HELD, /* unary: cut at its end */
	ANSWER_IS_CUT,  /* a stream: cut by the event */
};

struct injection_state {
	bool wanted;       /* by the settings and the share */
	bool active;       /* the present try bears added fields */
	bool refused;      /* this is the second try, without them: the engine refused */
	bool coded;        /* because the answer to the first had a content coding */
	bool asked_again;  /* or the first answer was strange */
	bool strange;      /* the answer under way is */
	bool timed;        /* drawn at random to be plain or not, to compare how long they take */
	bool undecided;    /* it has added fields, and its form is not known yet */
	uint32_t answerer; /* the head's part of its signature */
	struct signature signature; /* of the strange one */
	struct sse first;           /* finds a stream's first event with data */
	struct injection added;
	struct kind kind;
	uint64_t number; /* of what was learned of such answers, if logprobs were added; else 0 */
	struct edits edits; /* what makes it out of the client's; the leg takes them over */
	struct buf sent;    /* the request's body as edited */
	size_t offset;      /* how much of it the primary has taken */
	enum injection_answer answer;
	struct http_head *held_head; /* of the answer to the first try */
	struct buf held;             /* the unary answer so far; taken from the budget */
	struct leg *kept;            /* of a strange unary answer that is still in held; or NULL */
	struct cutter *cutter;
	size_t cutter_bytes; /* of the event that it holds, taken from the budget */
	struct buf out;      /* what a piece leaves after the cut */
	bool learning;
	bool learning_stream;
	struct buf sample; /* of a plain answer; taken from the budget */
};

/* At the head: the request's body must be held so that it can be edited. */
bool injection_needs_body(struct exchange *e);
/* The body is whole and understood: decides and edits. */
void injection_prepare(struct exchange *e);
ssize_t injection_pull(struct injection_state *s, char *buf, size_t cap);
/*
 * The engine does not take the added fields, or its answer can't be cut, or is strange, as its
 * head or its end shows: there is to be a second try, without them. After injection_body()
 * state.strange says the same.
 */
bool injection_head_fails(struct exchange *e, const struct http_head *head);
bool injection_end_is_strange(struct exchange *e);
/* At the head: an answer of which either is still to be seen. */
bool injection_may_fail(const struct exchange *e, const struct http_head *head);
void injection_begin_retry(struct exchange *e);
/* A strange answer was kept, and the second try has shown no head with 2xx yet. */
bool injection_has_first_answer(const struct exchange *e);
/* The second try failed: its leg is discarded; injection_end() sends the kept answer. */
void injection_restore_first(struct exchange *e);

/* The answer, in order; they write the exchange's response. body: false to pause. */
void injection_head(struct exchange *e, const struct http_head *head);
bool injection_body(struct exchange *e, const char *data, size_t len);
void injection_end(struct exchange *e);    /* whole */
void injection_broken(struct exchange *e); /* what is held of a stream goes out as it is */
void injection_finish(struct exchange *e); /* frees */
