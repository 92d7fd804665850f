#pragma once
/*
 * probe - finds out what an engine really supports, from its answers to a few short requests.
 *
 * An engine may accept a parameter without using it. So every statement is an observation, and says
 * what was sent and what came back. The probe sends at most PROBE_REQUESTS_LIMIT requests, each
 * with a size limit and a timeout, and none after PROBE_TIME_LIMIT_MS. It ends after three requests
 * without an answer, and by call_line_stop(). Some requests hang or never end on some engines. The
 * probe sends these only with settings.risky, one at a time, each on its own connection, and then
 * checks that the engine still answers.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/engine_identity.h"
#include "backends/probe/probe_report.h"
#include "backends/transport/call.h"

#define PROBE_REQUESTS_LIMIT 120
#define PROBE_TIME_LIMIT_MS 1500000
#define PROBE_TIMEOUT_MS 60000
#define PROBE_RISKY_TIMEOUT_MS 20000

struct probe_settings {
	struct call_line *line;
	const struct engine_identity *identity;
	const char *model;   /* NULL: requests name none */
	uint64_t timeout_ms; /* of one generation; 0: PROBE_TIMEOUT_MS */
	bool risky;
	/* Called before each step; or NULL. what: the step; requests: how many were sent. */
	void (*on_step)(void *arg, const char *what, unsigned requests);
	void *arg;
};

/* Blocks until the probe ends; calls on_step in the same thread. Never returns NULL. If the probe
 * ended early, the report's `stopped` is true or `problem` says why. The caller destroys the
 * report. */
struct probe_report *probe_run(const struct probe_settings *s);
