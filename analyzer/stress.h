#pragma once
/*
 * stress - reads and evaluates the capture of a stress run. It has three kinds of requests: those
 * of a suite, at each load; requests with a canary, which is a word that no other request contains;
 * and probes, which are healthy requests before and after failing ones. The suites of the last two
 * are STRESS_CANARIES and STRESS_PROBES.
 *
 *	load      compares the answers at each load with the answer to the same request sent alone
 *	canaries  searches answers for words that only another request contains
 *	probes    compares the answers to healthy requests before and after failing ones
 */
#include "analyzer/concurrency.h"
#include "capture/capture.h"

/* suite names of requests with canaries, and of probes and failing requests */
#define STRESS_CANARIES "stress-canaries"
#define STRESS_PROBES "stress-probes"
/* an item that should fail is named by this and a number */
#define STRESS_FAILING "failing/"
/* an item that should not fail is named by this and a number */
#define STRESS_PROBE "probe/"
#define STRESS_NEAR 4   /* number of probes that are sent after each failing request */
#define STRESS_LEAKS 16 /* the most leaks that are listed */
#define CANARY_SIZE 9   /* bytes, with the NUL */

struct stress_input {
	const char *backend;
	/* a run for each load, the lowest first: levels[i] requests in flight in runs[i] */
	const struct id *runs;
	const unsigned *levels;
	size_t n_levels;
	struct id probes; /* run with the probes; zero: none was made */
};

struct stress_leak { /* an answer that contains another request's canary */
	/* in_answer: exchange with that answer. whose: exchange whose request has that canary. */
	struct id in_answer, whose;
	unsigned concurrency;
	bool together; /* both requests were in flight at the same time */
};

struct stress_finding {
	struct concurrency concurrency;
	/* effect of load: by how much it raises the share of answers that differ */
	struct estimate effect;
	/* Canaries. */
	/* searched: answers that were searched; leaks: those with another request's canary */
	uint64_t searched, leaks;
	uint64_t leaks_together; /* leaks with stress_leak.together */
	struct stress_leak first[STRESS_LEAKS];
	/* Probes. */
	/* failing: requests that should fail; failed: those of them that failed */
	uint64_t failing, failed;
	/* before: probes before the first failing request, without the first answer to each, to
	 * which the others are compared; after: probes after requests that failed; ..._differing:
	 * those of them whose answers differ */
	uint64_t before, before_differing, after, after_differing;
	/* The largest distance from a failure to a later probe that differs, in probes: 1 is the
	 * next one. */
	uint32_t longest;
	struct concurrency_test poison;
};

/* Reads the whole capture. Overwrites *ret, which needs no freeing. */
void stress_read(struct capture *c, const struct stress_input *w, struct stress_finding *ret);
bool stress_found(const struct stress_finding *f); /* true if a test found a fault */
/* True if there are answers to requests sent alone, and answers under load. */
bool stress_has_data(const struct stress_finding *f);
