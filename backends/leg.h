#pragma once
/*
 * leg - records one backend's part in an exchange while the answer passes: the primary's, a copy's
 * or a replay's.
 *
 * leg_begin() when sending begins, leg_head(), leg_body()..., leg_end() once. The body goes to the
 * recorder in pieces of at most 256 KiB or one second. What the budget or the recorder refuses is
 * dropped and marks the leg truncated; nothing waits. Without a recorder only the figures are kept.
 * Loop thread only.
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
 * Counters of one backend's legs, for monitoring: how they ended, and the duration of complete 2xx
 * answers. For streams: from sending to the first bytes of the body, and between arrivals of bytes.
 */
struct leg_counts {
	struct buckets first, gap, whole;
	atomic_uint_fast64_t ended[N_OUTCOMES];
};

/* What all legs of one backend share; it outlives them. */
struct leg_frame {
	const char *backend, *url; /* url without credentials */
	/* header of answers that names the server behind the address; or NULL */
	const char *replica_header;
	enum role role;
	struct id run;
	struct budget *budget;
	struct recorder *recorder;       /* NULL: nothing is recorded */
	atomic_uint *in_flight;          /* legs in progress */
	struct leg_counts *counts;       /* counters to update; or NULL */
	struct privacy_names kept;       /* further header fields of answers to record */
	void (*on_truncated)(void *arg); /* called once for each leg whose record is cut; or NULL */
	void *arg;
};

struct leg {
	struct leg_frame frame;
	const struct dialect *dialect;
	bool begun, recording;
	bool has_body; /* the recorder has a part of the answer */
	bool held;     /* held back from the recorder: the leg may be discarded */
	bool stopped;  /* row.end_us is known */
	struct reading_hints hints;
	/* the recorded part of the answer's head, until the recorder has it */
	struct buf head;
	struct leg_row row;       /* strings are owned */
	uint64_t mono;            /* start of sending, clock_mono() ns */
	bool streamed;            /* the answer is a stream whose times are counted */
	uint64_t heard;           /* last arrival of body bytes, ns */
	uint64_t body_since;      /* arrival of the first byte of the current piece, ns */
	struct buf body;          /* the current piece, counted in the budget */
	size_t keep;              /* the most bytes of the body to keep for leg_answer(); 0: none */
	struct chunks answer;     /* the kept bytes that the recorder has */
	struct buf arrivals;      /* u32 pairs, counted in the budget */
	unsigned stride, skipped; /* once there are many arrivals, only every stride-th is kept */
};

void leg_begin(struct leg *l, const struct leg_frame *frame, struct id exchange,
        const struct dialect *dialect, struct id manifest, bool recording);
/* The changes to the exchange's body; takes ownership of the edits. */
void leg_edited(struct leg *l, struct edits *edits, const struct injection *injected);
/* asked: what the request says for a reader (endpoint, wants_logprobs, has_tools); the head adds
 * the rest. */
void leg_head(struct leg *l, const struct http_head *head, const struct reading_hints *asked);
void leg_body(struct leg *l, const char *data, size_t len);
/* Ends the holding back (`held`, which the caller sets between leg_begin() and leg_head()):
 * gives everything that has arrived to the recorder. */
void leg_release(struct leg *l);
/* The answer is complete and the leg's time ends now; leg_end() or leg_discard() may follow
 * later. */
void leg_stop(struct leg *l);
/*
 * Returns the answer's raw body. Call it before leg_end(); `keep` must have been set between
 * leg_begin() and leg_head(). The caller owns the references in *ret. The bytes are shared with the
 * recorder; they are dropped when half of the budget is used, so that records come first. False:
 * the body is incomplete.
 */
bool leg_answer(struct leg *l, struct chunks *ret) MUST_CHECK;
void leg_forget(struct leg *l); /* drops the kept body */
/*
 * Gives the row to the recorder. outcome and text (or NULL) say how the leg ended; book: as in
 * recorder_leg(). Without a recorder the book's unit is counted as excluded.
 */
void leg_end(struct leg *l, enum outcome outcome, const char *text, struct ledger_book *book);
/* Discards a leg that is held back, or whose head has not arrived; it can begin again. */
void leg_discard(struct leg *l);
/* The outcome that belongs to a reason. ours: the outcome to return if plumbline itself caused
 * the end (cancelled, or no request body). */
enum outcome leg_outcome(enum upstream_reason reason, enum outcome ours);
