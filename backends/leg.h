#pragma once
/*
 * leg - records one backend's part in an exchange (a primary's, copy's, replay's) as the answer
 * passes.
 *
 * Call leg_begin() when sending begins, then leg_head(), leg_body() for each piece, and leg_end()
 * once. The body goes to the recorder in pieces, each as soon as it has 256 KiB or is a second old.
 * If the budget or the recorder refuses a piece, the piece is dropped and the leg marked truncated;
 * nothing waits. If `recording` is false, only the figures are kept. Loop thread only.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "backends/injection/inject.h"
#include "capture/privacy/privacy.h"
#include "backends/transport/upstream.h"
#include "base/buckets.h"
#include "base/chunk.h"
#include "base/http.h"
#include "capture/record.h"

struct budget;
struct ledger_book;
struct recorder;

/*
 * Counters of one backend's legs, for monitoring: the outcomes, and times of complete 2xx answers.
 * first and gap: of streams, from sending to the first bytes of the body, and between arrivals of
 * bytes. whole: from sending to the end.
 */
struct leg_counts {
	struct buckets first, gap, whole;
	atomic_uint_fast64_t ended[N_OUTCOMES];
};

/* Settings of all legs of one backend. A leg copies them; what they point to must outlive it. */
struct leg_frame {
	const char *backend, *url; /* url without credentials */
	/* the header field that names the server behind the address; or NULL */
	const char *replica_header;
	enum role role;
	struct id run;
	struct budget *budget;
	struct recorder *recorder; /* NULL: nothing is recorded */
	atomic_uint *in_flight;    /* number of legs in progress */
	struct leg_counts *counts; /* or NULL */
	struct privacy_names kept; /* further header fields of answers to record */
	/* called once for each leg whose record was cut; or NULL */
	void (*on_truncated)(void *arg);
	void *arg;
};

struct leg {
	struct leg_frame frame;
	const struct dialect *dialect;
	bool begun, recording;
	bool has_body; /* the recorder has a part of the answer */
	bool held;     /* nothing goes to the recorder yet, because the leg may be discarded */
	bool stopped;  /* row.end_us is known */
	struct reading_hints hints;
	/* the fields of the answer's head to record, until the recorder has them */
	struct buf head;
	struct leg_row row;       /* strings are owned */
	uint64_t mono;            /* start of sending, clock_mono() ns */
	bool streamed;            /* the answer is a stream whose times are counted */
	uint64_t last_arrival;    /* last arrival of body bytes, clock_mono() ns */
	uint64_t body_since;      /* arrival of the current piece's first byte, clock_mono() ns */
	struct buf body;          /* the current piece, counted in the budget */
	size_t keep;              /* the most bytes that are kept for leg_answer(); 0: none */
	struct chunks answer;     /* kept bytes that went to the recorder */
	struct buf arrivals;      /* PART_ARRIVALS, counted in the budget */
	unsigned stride, skipped; /* if there are many arrivals, only every stride-th is kept */
};

void leg_begin(struct leg *l, const struct leg_frame *frame, struct id exchange,
        const struct dialect *dialect, struct id manifest, bool recording);
/* Sets the changes to the exchange's body, and takes ownership of the edits. */
void leg_set_edits(struct leg *l, struct edits *edits, const struct injection *injected);
/* requested: the hints that the request gives: endpoint, wants_logprobs, has_tools. */
void leg_head(struct leg *l, const struct http_head *head, const struct reading_hints *requested);
void leg_body(struct leg *l, const char *data, size_t len);
/* Ends the holding back of a leg: what was held back goes to the recorder. To hold a leg back, the
 * caller sets `held` between leg_begin() and leg_head(). */
void leg_release(struct leg *l);
/* Call it when the answer is complete, before leg_end() or leg_discard(): the leg's time ends
 * now. */
void leg_stop(struct leg *l);
/* Returns true and the answer's raw body; the caller owns the references in *ret, and the recorder
 * has the same bytes. Calls leg_release(). Call it before leg_end(). For this, the caller sets
 * `keep` between leg_begin() and leg_head(). False: the body is incomplete, or nothing was recorded
 * or kept. If half of the budget is used, kept bytes are dropped: records have priority. */
bool leg_answer(struct leg *l, struct chunks *ret) MUST_CHECK;
void leg_drop_answer(struct leg *l); /* drops the bytes that were kept for leg_answer() */
/* Passes the rest of the body and the row to the recorder. outcome: how the leg ended; text: the
 * error, or NULL. book: as in recorder_leg(). If `recording` is false, the ledger counts the unit
 * as excluded. */
void leg_end(struct leg *l, enum outcome outcome, const char *text, struct ledger_book *book);
/* Discards a leg that is held back or whose head has not arrived. It can begin again. */
void leg_discard(struct leg *l);
/* The outcome for a reason. own: the outcome if plumbline itself caused the end (UPSTREAM_CANCELLED
 * or UPSTREAM_BODY_FAILED). */
enum outcome leg_outcome(enum upstream_reason reason, enum outcome own);
