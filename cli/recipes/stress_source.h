#pragma once
/*
 * stress_source - the requests that `plumbline stress` makes out of a suite's, as lines for replay: each with a canary, and
 * a sequence of healthy ones around failing ones. The same for the same suite and seed, so that a stress
 * that was broken off goes on.
 *
 * A canary is a word of random letters. In a chat it is the last word of the last message of the user, behind the
 * question, where a prompt's end is: what leaks of a neighbour is most often its newest part, and the beginning, by
 * which prefixes are cached, stays as it was. In a completion, which would go on with it, it stands before the prompt.
 */
#include <stddef.h>
#include <stdint.h>

#include "replay/source.h"

#define STRESS_CANARIES "stress-canaries" /* what the exchanges' suite is called */
#define STRESS_PROBES "stress-probes"
#define STRESS_FAILING                                                                             \
	"failing/"            /* how the name of an item of the latter begins that is to fail, */
#define STRESS_PROBE "probe/" /* and of one that is not; its number follows */
#define STRESS_BEFORE 6       /* times that each probe is asked before the first failure */
#define CANARY_SIZE 9         /* with its NUL */

struct stress_source {
	struct buf canaries, probes; /* lines */
	size_t n_canaries, n_probes; /* requests; of probes those that are told apart */
};

/* A request with a canary. False: it has no text where one could stand. */
bool stress_put_canary(
        enum endpoint endpoint, struct span body, const char *canary, struct buf *to) MUST_CHECK;
void stress_canary(uint64_t seed, uint64_t number, char ret[CANARY_SIZE]);

/* Adds the requests of one source that rules choose, limit at most (even: as source_scan has it); later turns get no canary. 0, or -errno of reading. */
int stress_source_add(struct stress_source *s, struct source *from,
        const struct choice_rules *rules, uint64_t limit, bool even, uint64_t seed) MUST_CHECK;
void stress_source_finish(struct stress_source *s);
