#pragma once
/*
 * aside - a leg that does not answer its exchange's prompt, but holds scores or a judge's reply.
 */
#include "backends/transport/call.h"
#include "backends/dialect.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

struct aside {                     /* borrowed: the caller keeps all of it */
	const char *backend, *url; /* the backend that was asked; url without credentials */
	enum role role;
	const struct dialect *dialect;
	struct id manifest;     /* manifest of the backend's stack; zero: unknown */
	enum endpoint endpoint; /* endpoint of the request */
	unsigned in_flight;
	struct id exchange;
	uint64_t body_bytes; /* size of the exchange's request, which is replaced by `request` */
	struct span request;
	const struct call_answer *answer;
	uint64_t start_ns; /* wall clock, when it was sent */
	uint32_t marks;    /* enum leg_mark */
	struct id of, against;
	/* `of`, `against` and `at`: score_of, judged_against and score_at of struct leg_row */
	uint32_t at;
	bool waits; /* waits until the recorder has room, instead of dropping */
};

/*
 * Gives the leg to the recorder: its request as one edit of the exchange's body, the engine's
 * answer, and the row. Any thread. False: the answer could not be stored completely; its row is
 * marked LEG_TRUNCATED, and the leg does not count.
 */
bool aside_record(
        const struct aside *a, struct recorder *recorder, struct ledger_book *book) MUST_CHECK;

/* Makes an answer in the form of a chat completion, which every reader knows: for an aside whose
 * answer does not come from an engine. */
void aside_put_reply(
        const char *model, struct span words, uint64_t took_us, struct call_answer *ret);
