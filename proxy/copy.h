#pragma once
/*
 * copy - an exchange's request as sent to one reference: edited, with the proxy's own credentials,
 * recorded as a leg.
 *
 * It holds a reference to its exchange and to the body. Each copy ends in the book of its
 * reference: recorded, or dropped with a cause. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/inject.h"
#include "backends/leg.h"
#include "backends/transport/upstream.h"
#include "base/chunk.h"
#include "base/list.h"
#include "capture/ledger.h"
#include "proxy/engine_info.h"

struct exchange;
struct mirror;

struct copy {
	uint32_t magic;
	struct list link; /* in mirror->waiting or mirror->running */
	struct mirror *mirror;
	struct exchange *exchange;
	const struct backend_settings *settings; /* of the exchange's settings */
	struct chunks body;                      /* as the client sent it, decoded */
	size_t overhead;                         /* bytes in the budget, beside the body */
	uint64_t queued;                         /* ns; when it was created */
	uint64_t deadline;                       /* ns; 0 until it runs */
	struct upstream *upstream;
	struct leg leg;
	struct injection added;
	struct engine_view engine; /* the reference's, when this attempt began */
	enum endpoint endpoint;    /* where it is sent to */
	bool wants_logprobs;       /* asked for by the client or by us */
	bool refused;              /* this is the second attempt, without added members */
	bool retrying;             /* the first attempt is being cancelled */
	enum outcome stopped_as;   /* why we cancelled it; 0: we did not */
	const char *text;          /* the reason for stopped_as in words */
	struct buf sent;           /* the edited body, in the budget; empty: unedited */
	size_t item, offset;       /* position of the transport in the body */
	bool edited;
};

/* overhead: bytes that the caller took from the budget; they are given back when the copy ends. */
struct copy *copy_create(
        struct mirror *m, struct exchange *e, const struct backend_settings *to, size_t overhead);
/* Starts the copy, which must hold a slot. On return it runs, or has ended and freed its slot. */
void copy_start(struct copy *c);
/* For a copy that still waits. copy_drop() ends it without a record; copy_record_unsent() ends
 * it and records it as never sent. */
void copy_drop(struct copy *c, enum ledger_drop cause);
void copy_record_unsent(struct copy *c, enum outcome outcome, const char *text);
void copy_cancel(struct copy *c, enum outcome outcome, const char *text);
