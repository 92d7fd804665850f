#pragma once
/*
 * annotation - a leg that says something about another leg's answer: an engine's scores of it, or
 * the opinion of a judge model or a grader.
 */
#include "backends/dialects/dialect.h"
#include "backends/transport/call.h"
#include "capture/recorder/ledger.h"
#include "capture/recorder/recorder.h"

struct annotation { /* owns nothing */
	/* the backend that got the request; url without credentials */
	const char *backend, *url;
	enum role role;
	const struct dialect *dialect;
	struct id manifest;     /* the manifest of the backend's stack; zero: unknown */
	enum endpoint endpoint; /* the endpoint of the request */
	unsigned in_flight;     /* concurrent requests to the backend */
	struct id exchange;
	uint64_t body_bytes; /* bytes of the exchange's request */
	struct span request; /* the body that the backend got */
	const struct call_answer *answer;
	uint64_t start_ns; /* time of sending, ns since 1970 */
	uint32_t marks;    /* enum leg_mark */
	/* of, against, at: score_of, judged_against and score_at of struct leg_row */
	struct id of, against;
	uint32_t at;
	bool waits; /* true: blocks until the recorder has room; false: drops what has no room */
};

/*
 * Gives the leg to the recorder: its request as one edit of the exchange's body, the engine's
 * answer, and the row. Any thread. Returns true if the recorder has all of it. False: it has only
 * the row and a part of the rest; the row has LEG_TRUNCATED, and the leg does not count.
 */
bool annotation_record(
        const struct annotation *a, struct recorder *recorder, struct ledger_book *book) MUST_CHECK;

/* Makes an answer in the form of a chat completion, which every reader can read, for an annotation
 * that does not come from an engine. took_us: its duration. The caller finishes *ret. */
void annotation_put_reply(
        const char *model, struct span words, uint64_t took_us, struct call_answer *ret);
