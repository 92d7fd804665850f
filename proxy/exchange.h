#pragma once
/*
 * exchange - one client request and all that comes of it: its body, the primary leg, the answer,
 * the copies.
 *
 * Begins when a head is accepted and completes, once, when its primary leg has ended in any way;
 * copies hold a reference and outlive that. The client may go at any time.
 *
 *	HOLDING ──body whole, or too much──► SENDING ──────────► ENDED
 *	                                        │ ▲                ▲
 *	                      fields refused    ▼ │                │
 *	                                      RETRYING ────────────┘
 *
 * Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/inject.h"
#include "backends/leg.h"
#include "backends/transport/upstream.h"
#include "base/http.h"
#include "base/list.h"
#include "proxy/injection.h"
#include "proxy/response.h"
#include "proxy/scores.h"
#include "proxy/tunnel.h"
#include "proxy/upload.h"

struct client;
struct worker;

#define EXCHANGE_MAGIC 0xe8c4a93eu

enum exchange_state {
	EXCHANGE_HOLDING,  /* nothing has gone to the primary */
	EXCHANGE_SENDING,  /* request and answer under way */
	EXCHANGE_RETRYING, /* the first try is being cancelled; the second has no added fields */
	EXCHANGE_ENDED,
};

struct exchange {
	uint32_t magic;
	unsigned refs;
	enum exchange_state state;
	struct worker *worker;
	struct shared *shared;
	struct worker_config *config;    /* on which it began, and stays */
	const struct settings *settings; /* of the config's snapshot */
	struct client *client;           /* NULL once it has gone */
	struct list link;                /* in worker->exchanges */
	struct id id;
	struct http_head *head; /* the request's, owned */
	enum endpoint endpoint;
	uint64_t wall_ns, mono_ns; /* arrival of the head */
	uint32_t in_flight;
	char peer[33];

	struct upload upload;
	struct chunk *decoded; /* the body without its content coding, or NULL */
	bool hold;             /* the body is held to be edited */
	bool fresh;            /* body has come that the primary was not told of */
	bool understood;       /* facts and hashes are made */
	bool hashed;
	struct request_facts facts;
	struct request_hashes hashes;
	enum tunnel_state tunnel;
	bool opted_out; /* neither recorded nor copied: its client, or a rule on its model, says so */
	bool copies_decided;
	bool entered;   /* the recorder has head and body */
	bool truncated; /* memory was spent, or the recorder's queue */
	uint32_t body_parts;
	bool mirrored; /* at least one copy was made, or its answer is to be scored */
	struct scores scores;

	struct upstream *upstream;
	struct leg leg;
	struct injection_state injection;
	struct response response;
	bool paused;                        /* the primary, because the client is behind */
	uint64_t sent_ns;                   /* mono, when it began to go to the primary, at last */
	uint64_t asked_ns;                  /* mono, when the request was whole */
	uint64_t heard_ns;                  /* mono, when the primary's answer was whole */
	uint64_t answered_us;               /* from the head to the answer's head */
	bool client_left;                   /* it went before its answer was whole */
	bool stopped;                       /* cut by our shutdown */
	bool refused;                       /* answered by us, nothing was forwarded */
	const struct http_problem *problem; /* the request's body was not HTTP */
};

struct exchange *exchange_create(struct client *client, const struct http_head *head);
struct exchange *exchange_ref(struct exchange *e);
void exchange_unref(struct exchange *e);

/* From the client, in this order; the exchange may end within any of them. */
void exchange_body(struct exchange *e, const char *data, size_t len);
void exchange_body_end(struct exchange *e);
void exchange_body_failed(struct exchange *e, const struct http_problem *problem);
/* What came in one read has been handed over: time to send. */
void exchange_flush(struct exchange *e);
/* The body without its content coding; only once it is understood. */
struct span exchange_decoded_body(const struct exchange *e);
/* The body for a copy: decoded, or as it came if that could not be done. */
struct chunks exchange_body_for_copy(const struct exchange *e);
bool exchange_takes_body(const struct exchange *e);

/* Bytes that wait for its slower side now before the faster one has to: relay_window but for one
 * read, less the nearer memory_limit is. */
size_t exchange_window(const struct exchange *e);

/* The one setter. */
void exchange_set_state(struct exchange *e, enum exchange_state state);
/* The one end: books, record, and the last of it but for copies. e may be gone on return. */
void exchange_complete(struct exchange *e, enum outcome outcome, const char *text);
bool exchange_within_share(const struct exchange *e); /* of those that are injected */
/* It is one of those with long lists of alternatives. */
bool exchange_is_audited(const struct exchange *e);
/* As many alternatives a token are asked for. */
int exchange_top_logprobs(const struct exchange *e);

void exchange_client_caught_up(struct exchange *e); /* the client has caught up */
void exchange_client_gone(struct exchange *e);      /* the client is not touched again */
void exchange_refuse(struct exchange *e, int status, const char *code, const char *message);
void exchange_abort_answer(struct exchange *e); /* its answer is cut, and the engine's cancelled */
void exchange_stop(struct exchange *e);         /* our shutdown: the answer is cut */
