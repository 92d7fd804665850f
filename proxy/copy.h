#pragma once
/*
 * copy - one exchange's request sent to one reference: rewritten, with its own credentials,
 * recorded as a leg.
 *
 * Holds a reference on its exchange and on the body. Ends in the reference's book in any case: as a
 * recorded leg, or dropped by a cause. Loop thread only.
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
	struct list link; /* in the mirror's waiting or running */
	struct mirror *mirror;
	struct exchange *exchange;
	const struct backend_settings *settings; /* of the exchange's snapshot */
	struct chunks body;                      /* as the client sent it */
	size_t overhead;   /* bytes held beside the body, taken from the budget */
	uint64_t queued;   /* ns, when it was made */
	uint64_t deadline; /* ns; 0 until it runs */
	struct upstream *upstream;
	struct leg leg;
	struct injection added;
	struct engine_view engine; /* of the reference, when the present try began */
	enum endpoint endpoint;    /* that it is sent to */
	bool wants_logprobs;       /* by the client or by us */
	bool refused;              /* the second try, without added fields */
	bool retrying;             /* the first is being cancelled */
	enum outcome stopped_as;   /* why it was cancelled; 0: it was not */
	const char *text;          /* the same in words */
	struct buf sent;     /* the body as edited, taken from the budget; empty: as it came */
	size_t item, offset; /* where the reference's pull stands */
	bool edited;
};

/* overhead: given back to the budget at its end. */
struct copy *copy_create(
        struct mirror *m, struct exchange *e, const struct backend_settings *to, size_t overhead);
/* Holds a place; on return it runs or is gone (dropped; the place was given back). */
void copy_start(struct copy *c);
/* Only while it waits: without a record, or recorded as what was never sent. */
void copy_drop(struct copy *c, enum ledger_drop cause);
void copy_record_unsent(struct copy *c, enum outcome outcome, const char *text);
void copy_cancel(struct copy *c, enum outcome outcome, const char *text);
