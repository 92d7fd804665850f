#pragma once
/*
 * aside - a leg that is no answer to its exchange's prompt, but has scores or a judge's reply.
 */
#include "backends/transport/call.h"
#include "backends/dialect.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

struct aside {                     /* owns nothing */
	const char *backend, *url; /* the backend that got the request; url without credentials */
	enum role role;
	const struct dialect *dialect;
	struct id manifest;     /* the manifest of the backend's stack; zero: unknown */
	enum endpoint endpoint; /* the endpoint of the request */
	unsigned in_flight;
	struct id exchange;
	/* bytes of the exchange's request */
	uint64_t body_bytes;
	struct span request; /* the body that was sent instead */
	const struct call_answer *answer;
	uint64_t start_ns; /* time of sending, ns since 1970 */
	uint32_t marks;    /* enum leg_mark */
	struct id of, against;
	/* of, against, at: score_of, judged_against and score_at of struct leg_row */
	uint32_t at;
	bool waits; /* true: waits until the recorder has room, instead of dropping */
};

/*
 * Gives the leg to the recorder: its request as one edit of the exchange's body, the engine's
 * answer, and the row. Any thread. False: the answer could not be stored completely; its row has
 * LEG_TRUNCATED, and the leg does not count.
 */
bool aside_record(
        const struct aside *a, struct recorder *recorder, struct ledger_book *book) MUST_CHECK;

/* Makes an answer in the form of a chat completion, which every reader can read, for an aside
 * whose answer does not come from an engine. took_us: its duration. */
void aside_put_reply(
        const char *model, struct span words, uint64_t took_us, struct call_answer *ret);
