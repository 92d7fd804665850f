#pragma once
/*
 * copy - the request of an exchange as sent to one reference: edited, with the API key from the
 * settings, recorded as a leg.
 *
 * A copy holds a reference to its exchange and to the body. It ends in the book of its reference:
 * recorded, or dropped with a cause. Loop thread only.
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
	const struct backend_settings *settings; /* the reference's, in the exchange's settings */
	struct chunks body;                      /* as the client sent it, decoded */
	/* bytes that it has in the budget beside the body */
	size_t overhead;
	uint64_t queued;   /* ns; when it was created */
	uint64_t deadline; /* ns; 0 until it runs */
	struct upstream *upstream;
	struct leg leg;
	struct injection added;
	struct engine_view engine; /* the reference's, when this attempt began */
	enum endpoint endpoint;    /* the endpoint that it is sent to */
	bool wants_logprobs;       /* requested by the client or by plumbline */
	/* the engine refused added members: this is the second attempt, without them */
	bool refused;
	bool retrying;           /* the first attempt is being cancelled */
	enum outcome stopped_as; /* why plumbline cancelled it; 0: it did not */
	const char *text;        /* the reason for stopped_as in words */
	struct buf sent;         /* the edited body, in the budget; empty: unedited */
	size_t item, offset;     /* what the transport has read: chunk, byte in it */
	bool edited;
};

/* overhead: bytes that the caller reserved in the budget; the copy releases them when it ends. */
struct copy *copy_create(
        struct mirror *m, struct exchange *e, const struct backend_settings *to, size_t overhead);
/* Starts a copy that holds a slot. On return it runs, or it has ended and freed its slot. */
void copy_start(struct copy *c);
/* End a copy that still waits. copy_drop() makes no record; copy_record_unsent() records a leg
 * that was never sent, with the outcome and its reason in words. */
void copy_drop(struct copy *c, enum ledger_drop cause);
void copy_record_unsent(struct copy *c, enum outcome outcome, const char *text);
/* Cancels a running copy. outcome and text: why, for its record. */
void copy_cancel(struct copy *c, enum outcome outcome, const char *text);
