#pragma once
/*
 * stress_source - makes the requests of `plumbline stress` from a suite, as lines for replay:
 * requests that each contain a canary, and a sequence of healthy requests around failing ones. The
 * same suite and seed give the same requests, so that an interrupted run can resume.
 *
 * A canary is a word of random letters. In a chat it is the last word of the user's last message:
 * what leaks from another request is mostly its newest part; and the beginning, by which prefixes
 * are cached, stays unchanged. In a completion the canary comes before the prompt, since at the end
 * the model would continue the canary.
 */
#include <stddef.h>
#include <stdint.h>

#include "replay/source.h"

#define STRESS_CANARIES "stress-canaries" /* suite name of these exchanges */
#define STRESS_PROBES "stress-probes"
/* beginning of the names of items that should fail; a number follows */
#define STRESS_FAILING "failing/"
/* beginning of the names of items that should not fail; a number follows */
#define STRESS_PROBE "probe/"
#define STRESS_BEFORE 6 /* how often each probe is sent before the first failure */
#define CANARY_SIZE 9   /* with its NUL */

struct stress_source {
	struct buf canaries, probes; /* lines */
	size_t n_canaries, n_probes; /* number of requests; of distinct probes */
};

/* Appends a request with a canary. False: it has no text for one. */
bool stress_put_canary(
        enum endpoint endpoint, struct span body, const char *canary, struct buf *to) MUST_CHECK;
void stress_canary(uint64_t seed, uint64_t number, char ret[CANARY_SIZE]);

/* Adds the selected requests of a source, at most limit (even: as in source_scan); later turns get
 * no canary. Returns 0 or -errno. */
int stress_source_add(struct stress_source *s, struct source *from,
        const struct choice_rules *rules, uint64_t limit, bool even, uint64_t seed) MUST_CHECK;
void stress_source_finish(struct stress_source *s);
