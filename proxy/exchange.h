#pragma once
/*
 * exchange - one client request and all that follows from it: its body, the primary's leg, the
 * answer, the copies.
 *
 * exchange_create() makes it when a request's head is accepted. It completes once, when its primary
 * leg has ended in any way. Copies have a reference to it and may end later. The client may leave
 * at any time.
 *
 *	HOLDING ──body complete──────────────────► SENDING ──the leg ended──► ENDED
 *	   └──body too large──► READY ──flush──────►  │ ▲
 *	                                              ▼ │ the leg ended
 *	                                           RETRYING
 *
 * RETRYING: the request is sent again without the added members (enum injection_attempt has the
 * reasons). If the request is refused or interrupted, the exchange goes to ENDED from any state;
 * from SENDING and RETRYING, once the leg has ended.
 *
 * Each part has its own state, which only its module changes: upload (the body from the client),
 * response (what the client got), primary (the leg), injection, copies (mirror.h), scoring, record,
 * tunnel. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"
#include "base/list.h"
#include "proxy/exchange_record.h"
#include "proxy/injection.h"
#include "proxy/mirror.h"
#include "proxy/primary_leg.h"
#include "proxy/response.h"
#include "proxy/answer_scoring.h"
#include "proxy/tunnel.h"
#include "proxy/upload.h"

struct client;
struct worker;

#define EXCHANGE_MAGIC 0xe8c4a93eu

enum exchange_state {
	/* nothing was sent yet; the body is held until it is complete, because it may be edited */
	EXCHANGE_HOLDING,
	EXCHANGE_READY,    /* nothing was sent yet; the body will go to the primary as it arrives */
	EXCHANGE_SENDING,  /* request and answer are on their way */
	EXCHANGE_RETRYING, /* the first attempt is being cancelled */
	EXCHANGE_ENDED,
};

/* What the proxy knows of the request's body. */
enum exchange_body {
	EXCHANGE_BODY_UNREAD, /* nothing yet, or it is too large or can't be decoded */
	EXCHANGE_BODY_PARSED, /* `facts` are set */
	EXCHANGE_BODY_HASHED, /* `facts` and `hashes` are set */
};

/* Why an exchange ends without the engine's complete answer. Of two reasons, the later one in
 * this list counts. */
enum exchange_interruption {
	INTERRUPTED_NOT,
	INTERRUPTED_CLIENT_LEFT, /* with `on_client_gone: finish` the engine still finishes */
	INTERRUPTED_STOPPED,     /* the proxy stops */
	INTERRUPTED_BAD_BODY,    /* the request's body is not valid HTTP */
	INTERRUPTED_REFUSED,     /* the proxy refused the request; nothing was forwarded */
};

struct exchange {
	uint32_t magic;
	unsigned refs;
	enum exchange_state state;
	enum exchange_interruption interrupted;
	struct worker *worker;
	struct shared *shared;
	struct worker_config *config;    /* the worker's configuration when the exchange began */
	const struct settings *settings; /* of the config's snapshot */
	struct client *client;           /* NULL once it has gone */
	struct list link;                /* in worker->exchanges */
	struct id id;
	struct http_head *head; /* the request's; owned */
	enum endpoint endpoint;
	uint64_t wall_ns, mono_ns; /* ns; when the head came, as wall clock and as clock_mono() */
	/* clock_mono() ns; when the request was complete; 0: it is not */
	uint64_t complete_ns;
	uint32_t in_flight; /* number of exchanges in progress when it began, including itself */
	char peer[33];      /* keyed hash of the client's address */

	struct upload upload;
	struct chunk *decoded; /* the body without its content coding, or NULL */
	enum exchange_body body;
	struct request_facts facts;
	struct request_hashes hashes;

	struct primary_leg primary;
	struct injection_state injection;
	struct response response;
	enum tunnel_state tunnel;
	enum copies_state copies;
	struct answer_scoring scoring;
	struct exchange_record record;
};

/* The first reference belongs to the exchange itself; exchange_complete() drops it. */
struct exchange *exchange_create(struct client *client, const struct http_head *head);
struct exchange *exchange_ref(struct exchange *e);
void exchange_unref(struct exchange *e);

/* Pass on the body from the client; call them in this order. Each call may end the exchange. */
void exchange_body(struct exchange *e, const char *data, size_t len);
void exchange_body_end(struct exchange *e);
void exchange_body_failed(struct exchange *e, const struct http_problem *problem);
/* Passes on what exchange_body() got. Call after the last exchange_body() of one read. */
void exchange_flush(struct exchange *e);
/* The body without its content coding. Only after the body was parsed. */
struct span exchange_decoded_body(const struct exchange *e);
/* The body for a copy: without its content coding if the proxy could decode it, else as the
 * client sent it. */
struct chunks exchange_body_for_copy(const struct exchange *e);
bool exchange_takes_body(const struct exchange *e); /* true if more of the body can be held now */

static inline bool exchange_is_parsed(const struct exchange *e)
{
	return e->body >= EXCHANGE_BODY_PARSED;
}

/* The most bytes to queue for one side before the other is paused: relay_window minus 16 KiB, at
 * least 0. It becomes smaller as memory use approaches memory_limit. */
size_t exchange_window(const struct exchange *e);

/* Only this function changes the state. */
void exchange_set_state(struct exchange *e, enum exchange_state state);
/* Ends the exchange: writes its record, books and counters. text: the reason in words, or NULL.
 * Call once. May free e. */
void exchange_complete(struct exchange *e, enum outcome outcome, const char *text);
/* True if the exchange is in the random share `logprobs.share`, to which members may be added. */
bool exchange_within_share(const struct exchange *e);
/* A hash of the exchange's id and the salt, uniform over 64 bits. */
uint64_t exchange_draw(const struct exchange *e, const char *salt);
/* True if the exchange is in the random share `logprobs.audit.share`, whose requests ask for
 * longer lists of alternatives. */
bool exchange_is_audited(const struct exchange *e);
/* The mark for the row of a leg to whose request `added` was added: LEG_AUDITED if `added` has
 * logprobs and exchange_is_audited(); else 0. */
uint32_t exchange_audit_mark(const struct exchange *e, const struct injection *added);
/* The number of alternatives to request for each token. */
int exchange_top_logprobs(const struct exchange *e);

/* Call when the client has read bytes that were queued. Resumes a paused answer if at most half
 * a window is still queued. */
void exchange_client_caught_up(struct exchange *e);
/* Call when the client has left; e->client is NULL afterwards. */
void exchange_client_gone(struct exchange *e);
/* Answers with an error of plumbline's own and ends the exchange. Only if nothing was forwarded. */
void exchange_refuse(struct exchange *e, int status, const char *code, const char *message);
/* Aborts the answer to the client, and cancels the request to the primary. */
void exchange_abort_answer(struct exchange *e);
/* Call when the proxy stops. Answers 503, or aborts an answer that has begun. */
void exchange_stop(struct exchange *e);
