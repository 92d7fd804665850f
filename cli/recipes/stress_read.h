#pragma once
/*
 * stress_read - reads and evaluates the capture of a stress run. It compares the answers under each
 * load with the answer to the same request sent alone. It searches answers for canaries of other
 * requests (stress_source.h), and evaluates the probes around failing requests.
 */
#include "analyzer/concurrency.h"
#include "capture/capture.h"

struct stress_wish {
	const char *backend;
	const struct id *runs; /* one run for each load, the lowest first */
	const unsigned *levels;
	size_t n_levels;
	struct id probes; /* run of the probes; zero: none */
};

struct stress_leak {            /* an answer that contains another request's canary */
	struct id heard, whose; /* exchange with that answer; exchange with that canary */
	unsigned concurrency;
	bool together; /* both were in flight at the same time */
};

#define STRESS_NEAR 4   /* how many probes are sent after each failure */
#define STRESS_LEAKS 16 /* the most leaks that are listed */

struct stress_finding {
	struct concurrency strain;
	struct estimate effect; /* effect of load on the share of answers that differ */
	/* Canaries. */
	/* number of searched answers; number of those that contain another request's canary */
	uint64_t canaried, leaks;
	uint64_t leaks_together;
	struct stress_leak first[STRESS_LEAKS];
	/* Probes. */
	uint64_t failing, failed; /* requests that should fail; those of them that did */
	/* probes before the first failure and after failures; those whose answers differ */
	uint64_t before, before_differing, after, after_differing;
	uint32_t longest; /* number of probes after a failure, up to the last one that differed */
	struct concurrency_test poison;
};

void stress_read(struct capture *c, const struct stress_wish *w, struct stress_finding *ret);
bool stress_found(const struct stress_finding *f); /* true if any test found a fault */
/* True if there are answers to requests sent alone, and answers under load. */
bool stress_has_data(const struct stress_finding *f);
