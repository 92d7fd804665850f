#pragma once
/*
 * stress_read - what a stress recorded, read and judged: answers at each level against the same request alone, canaries of
 * others, and probes around failing requests.
 */
#include "analyzer/concurrency.h"
#include "capture/capture.h"

struct stress_wish {
	const char *backend;
	const struct id *runs; /* of the levels, the lowest first */
	const unsigned *levels;
	size_t n_levels;
	struct id probes; /* the run of the probes; zero: none was made */
};

struct stress_leak {            /* an answer with another's canary */
	struct id heard, whose; /* exchanges */
	unsigned concurrency;
	bool together; /* were both under way at the same time? */
};

#define STRESS_NEAR 4   /* probes behind a failure, as many as are sent there */
#define STRESS_LEAKS 16 /* that are told one by one */

struct stress_finding {
	struct concurrency strain;
	/* Canaries. */
	uint64_t canaried, leaks; /* answers; and those with canaries of others */
	uint64_t leaks_together;
	struct stress_leak first[STRESS_LEAKS];
	/* Probes. */
	uint64_t failing, failed; /* requests that were to fail, and that did */
	uint64_t before, before_differing, after, after_differing;
	uint32_t longest; /* probes behind a failure up to the last that differed */
	struct concurrency_test poison;
};

void stress_read(struct capture *c, const struct stress_wish *w, struct stress_finding *ret);
bool stress_found(const struct stress_finding *f); /* anything at all */
/* Is there enough that nothing's being found says something? */
bool stress_has_data(const struct stress_finding *f);
