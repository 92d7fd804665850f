#pragma once
/*
 * stress_source - makes the requests of `plumbline stress` from a suite, as lines for a replay:
 * requests that each contain a canary, and healthy requests around failing ones (probes). The same
 * suite and seed give the same requests, so that an interrupted run can resume.
 *
 * A canary is a word of random letters. In a chat it is the last word of the user's last message,
 * for two reasons: what leaks from another request is mostly its newest part, and the beginning,
 * which engines cache as a prefix, stays unchanged. In a completion the canary comes before the
 * prompt; at the end, the model would continue the canary.
 */
#include <stddef.h>
#include <stdint.h>

#include "replay/source.h"

#define STRESS_CANARIES "stress-canaries" /* suite name of requests with canaries */
#define STRESS_PROBES "stress-probes"
/* begins the names of items that should fail; a number follows */
#define STRESS_FAILING "failing/"
/* begins the names of items that should not fail; a number follows */
#define STRESS_PROBE "probe/"
#define STRESS_BEFORE 6 /* how often each probe is sent before the first failure */
#define CANARY_SIZE 9   /* bytes, with the NUL */

struct stress_source {
	struct buf canaries, probes; /* lines */
	/* number of requests with canaries; number of different probes */
	size_t n_canaries, n_probes;
	size_t n_lines; /* of probes */
};

/* Adds the requests of a source that the rules select, at most limit (even: see struct
 * source_scan). Turns after the first get no canary. Returns 0 or -errno. */
int stress_source_add(struct stress_source *s, struct source *from,
        const struct request_choice_rules *rules, uint64_t limit, bool even,
        uint64_t seed) MUST_CHECK;
void stress_source_finish(struct stress_source *s);
