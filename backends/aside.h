#pragma once
/*
 * aside - a leg that is no answer to its exchange's prompt, on its way into the capture: scores, or
 * what a judge said.
 */
#include "backends/transport/call.h"
#include "backends/dialect.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

struct aside {                     /* all of it is borrowed */
	const char *backend, *url; /* who was asked; url without credentials */
	enum role role;
	const struct dialect *dialect;
	struct id manifest;     /* of its stack; zero: none is known */
	enum endpoint endpoint; /* that was asked */
	unsigned in_flight;
	struct id exchange;
	uint64_t body_bytes; /* of the exchange's request, which gives way to: */
	struct span request;
	const struct call_answer *answer;
	uint64_t start_ns; /* wall clock, when it was sent */
	uint32_t marks;    /* enum leg_mark */
	struct id of, against;
	uint32_t at; /* as leg_row has them */
	bool waits;  /* for room in the recorder, so that nothing is lost for want of it */
};

/*
 * Hands the leg to the recorder: its request as one edit of the exchange's body, the engine's answer,
 * the row. Any thread. False: the answer could not be
 * stored whole; the leg says so and counts for nothing.
 */
bool aside_record(
        const struct aside *a, struct recorder *recorder, struct ledger_book *book) MUST_CHECK;
