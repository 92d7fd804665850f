#pragma once
/*
 * leg - the record of one backend's part in an exchange, made while the answer passes: of a primary's,
 * a copy's or a replay's.
 *
 * leg_begin() when sending begins, leg_head(), leg_body()..., leg_end() once. The body goes to the
 * recorder in pieces of 256 KiB or of what came in a second at most; what the budget or the recorder
 * refuses is lost and the leg is marked truncated, and nothing waits for it. Without a recorder
 * only the figures are kept. Loop thread only.
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
 * One backend's legs, for monitoring: how they ended, and how long those took that came whole with a status of 2xx. Of streamed ones,
 * from the request's sending to the first bytes of the body, and from one arrival of bytes to the next.
 */
struct leg_counts {
	struct buckets first, gap, whole;
	atomic_uint_fast64_t ended[N_OUTCOMES];
};

/* What the legs of one backend have in common; what is pointed to outlives them. */
struct leg_frame {
	const char *backend, *url;  /* url without credentials */
	const char *replica_header; /* of answers: names the server behind the address; or NULL */
	enum role role;
	struct id run;
	struct budget *budget;
	struct recorder *recorder;       /* NULL: nothing is recorded */
	atomic_uint *in_flight;          /* legs under way */
	struct leg_counts *counts;       /* counted into; or NULL */
	struct privacy_names kept;       /* further header fields of answers that are kept */
	void (*on_truncated)(void *arg); /* once for each leg whose record is cut; or NULL */
	void *arg;
};

struct leg {
	struct leg_frame frame;
	const struct dialect *dialect;
	bool begun, recording;
	bool has_body; /* the recorder was told of the answer */
	bool held;     /* it is not to be told yet: the leg may be discarded */
	bool stopped;  /* row.end_us is known */
	struct reading_hints hints;
	struct buf head;          /* what is kept of the answer's, until the recorder has it */
	struct leg_row row;       /* strings are owned */
	uint64_t mono;            /* ns, when sending began */
	bool streamed;            /* the answer is a stream, and its times are counted */
	uint64_t heard;           /* ns, when body came last */
	uint64_t body_since;      /* ns, when the first byte of the present piece came */
	struct buf body;          /* the present piece, taken from the budget */
	size_t keep;              /* bytes of the answer's body that are kept at most; 0: none is */
	struct chunks answer;     /* what of them the recorder was given */
	struct buf arrivals;      /* u32 pairs, taken from the budget */
	unsigned stride, skipped; /* of arrivals, once they are many: every stride-th is kept */
};

void leg_begin(struct leg *l, const struct leg_frame *frame, struct id exchange,
        const struct dialect *dialect, struct id manifest, bool recording);
/* What was changed in the exchange's body; takes the edits over. */
void leg_edited(struct leg *l, struct edits *edits, const struct injection *injected);
/* asked: what the request tells a reader (endpoint, wants_logprobs, has_tools); the rest is the head's. */
void leg_head(struct leg *l, const struct http_head *head, const struct reading_hints *asked);
void leg_body(struct leg *l, const char *data, size_t len);
/* Of one that is held (set between leg_begin() and leg_head()): all that came goes to the recorder. */
void leg_release(struct leg *l);
/* The answer is whole; leg_end() or leg_discard() may come later, and the leg ends now. */
void leg_stop(struct leg *l);
/*
 * The answer's body as it came, before leg_end(), where `keep` was set between leg_begin() and
 * leg_head(). The references are the caller's. The bytes are shared with the recorder, and are let
 * go of when half of the budget is used, so that records go first. False: it is not all there.
 */
bool leg_answer(struct leg *l, struct chunks *ret) MUST_CHECK;
void leg_forget(struct leg *l); /* it is not wanted after all */
/*
 * text may be NULL. The row goes to the recorder; book as there. Without a recorder a book's unit
 * is excluded.
 */
void leg_end(struct leg *l, enum outcome outcome, const char *text, struct ledger_book *book);
/* Forgets a leg that was begun and is held, or whose head has not come: it will be begun again. */
void leg_discard(struct leg *l);
/* What an end comes to; ours: if the reason lies with us, cancelled or without the request's body. */
enum outcome leg_outcome(enum upstream_reason reason, enum outcome ours);
