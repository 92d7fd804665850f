#pragma once
/*
 * copy - the request of an exchange as sent to one reference: edited, with the API key from the
 * settings, and recorded as a leg.
 *
 * A copy has references to its exchange and to the body. When it ends, the book of its reference
 * counts it as recorded, or as dropped with a cause. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/inject.h"
#include "backends/leg.h"
#include "backends/transport/upstream.h"
#include "base/chunk.h"
#include "base/list.h"
#include "capture/recorder/ledger.h"
#include "proxy/engine_info.h"

struct exchange;
struct mirror;

struct copy {
	uint32_t magic;
	struct list link; /* in mirror->waiting or mirror->running */
	struct mirror *mirror;
	struct exchange *exchange;
	/* settings of the reference, in the exchange's settings */
	const struct backend_settings *settings;
	struct chunks body; /* as the client sent it, decoded */
	/* bytes of the budget that it has for itself, without bodies */
	size_t overhead;
	uint64_t queued;   /* clock_mono() ns; when it was created */
	uint64_t deadline; /* clock_mono() ns; when it is cancelled; 0: it does not run yet */
	struct upstream *upstream;
	struct leg leg;
	struct injection added;
	/* what was known about the reference's engine when this attempt began */
	struct engine_view engine;
	enum endpoint endpoint; /* endpoint to which it is sent */
	bool wants_logprobs;    /* requested by the client or by plumbline */
	/* this is the second attempt, without added members, because the engine refused them */
	bool refused;
	bool dropping_fields;    /* the first attempt is being cancelled */
	enum outcome stopped_as; /* why plumbline cancelled it; 0: it did not */
	const char *text;        /* the reason for stopped_as in words */
	struct buf sent;         /* the edited body, counted in the budget; empty: unedited */
	/* position of the transport: chunk of `body`, byte in it; for an edited body, byte of
	 * `sent` */
	size_t item, offset;
	bool edited;
};

/* overhead: see the member; the caller has reserved these bytes, and the copy releases them when
 * it ends. */
struct copy *copy_create(
        struct mirror *m, struct exchange *e, const struct backend_settings *to, size_t overhead);
/* Starts a copy, for which the caller has taken a slot. On return it runs, or it has ended and
 * its slot is free. */
void copy_start(struct copy *c);
/* Both end a copy that still waits. copy_drop() makes no record. copy_record_unsent() records a
 * leg that was never sent, with this outcome; text: the reason in words. */
void copy_drop(struct copy *c, enum ledger_drop cause);
void copy_record_unsent(struct copy *c, enum outcome outcome, const char *text);
/* Cancels a running copy. outcome, text: why, for its record; text is static. */
void copy_cancel(struct copy *c, enum outcome outcome, const char *text);
