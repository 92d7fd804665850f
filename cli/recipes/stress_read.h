#pragma once
/*
 * stress_read - reads and evaluates the capture of a stress run. It compares answers under each
 * load with the answer to the same request alone, looks for canaries of other requests, and
 * evaluates the probes around failing requests.
 */
#include "analyzer/concurrency.h"
#include "capture/capture.h"

struct stress_wish {
	const char *backend;
	const struct id *runs; /* of the loads, lowest first */
	const unsigned *levels;
	size_t n_levels;
	struct id probes; /* run of the probes; zero: none */
};

struct stress_leak {            /* an answer that contains another request's canary */
	struct id heard, whose; /* exchanges */
	unsigned concurrency;
	bool together; /* both were in progress at the same time */
};

#define STRESS_NEAR 4   /* probes after each failure */
#define STRESS_LEAKS 16 /* leaks that are listed */

struct stress_finding {
	struct concurrency strain;
	struct estimate effect; /* of load on the share of differing answers */
	/* Canaries. */
	/* answers that were searched; answers that contain a canary of another request */
	uint64_t canaried, leaks;
	uint64_t leaks_together;
	struct stress_leak first[STRESS_LEAKS];
	/* Probes. */
	uint64_t failing, failed; /* requests that should fail, and that did */
	uint64_t before, before_differing, after, after_differing;
	uint32_t longest; /* number of probes after a failure up to the last that differed */
	struct concurrency_test poison;
};

void stress_read(struct capture *c, const struct stress_wish *w, struct stress_finding *ret);
bool stress_found(const struct stress_finding *f); /* true if there is any finding */
/* True if there are answers alone and under load. */
bool stress_has_data(const struct stress_finding *f);
