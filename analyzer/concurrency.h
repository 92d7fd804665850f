#pragma once
/*
 * concurrency - finds effects of concurrent requests on answers that should not depend on them. It
 * compares answers to the same requests at several levels of concurrency. Pure.
 *
 * The first answer to each request at the lowest level is its standard. All later answers, also
 * those at the lowest level, are compared with it. So the lowest level, repeated, gives the noise
 * floor.
 *
 *	jump   a first difference that rounding does not explain: the distance between the logits of
 *	       the two tokens changed by CONCURRENCY_JUMP nats or more between the two answers; or
 *	       by CONCURRENCY_JUMP_UNLISTED, if one token is not in the other answer's list of at
 *	       least CONCURRENCY_LISTED alternatives
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/clusters.h"

#define CONCURRENCY_JUMP 3.0
#define CONCURRENCY_JUMP_UNLISTED 1.0
#define CONCURRENCY_LISTED 4
/* p value below which each test finds; no false alarm in hundreds of runs */
#define CONCURRENCY_ALPHA 0.0005
/* For jumps, if no answer at the lowest level differs. Rounding never causes jumps, so less
 * evidence is enough. */
#define CONCURRENCY_ALPHA_STILL 0.2
#define CONCURRENCY_LEVELS 16

enum concurrency_mark {
	CONCURRENCY_FAILED = 1 << 0,  /* an error, or an incomplete answer */
	CONCURRENCY_DIFFERS = 1 << 1, /* it differs from its standard */
	CONCURRENCY_JUMPS = 1 << 2,
	CONCURRENCY_LOOPS = 1 << 3, /* it ends in a loop; its standard does not */
	CONCURRENCY_EMPTY = 1 << 4, /* it is empty; its standard is not */
	/* it has a script (such as Cyrillic) that neither its request nor its standard has */
	CONCURRENCY_FOREIGN = 1 << 5,
};

/* An answer that was compared with a standard, or failed. */
struct concurrency_answer {
	uint64_t start_ns;
	uint32_t level;  /* index of the level, the lowest first */
	uint32_t prompt; /* index of the prompt, from 0 without gaps */
	/* equal for prompts that belong together, such as turns of a session */
	uint64_t cluster;
	unsigned marks;
};

struct concurrency_level {
	unsigned concurrency;
	uint64_t answers; /* answers that did not fail */
	uint64_t failed, differing, jumps, loops, empty, foreign;
};

/* The result of one test. */
struct concurrency_test {
	uint64_t hits, n;
	double p; /* NaN: no data */
	bool found;
};

struct concurrency {
	struct concurrency_level levels[CONCURRENCY_LEVELS];
	size_t n_levels;
	/*
	 * Each test asks whether a fault is more frequent above the lowest level than at it, or
	 * becomes more frequent with the logarithm of the level. It takes the larger of Mantel's
	 * two statistics (the test of Cochran, Mantel and Haenszel with scores) and compares it
	 * with permutations within each prompt. It needs three prompts. Drift: differences without
	 * a jump. A fault that is as frequent at the lowest level is not an effect of concurrency.
	 */
	struct concurrency_test drift, jumps, failed, loops, empty, foreign;
	/* Tests whether more answers differ after some point in time, at any level (permutations
	 * within prompts and levels, by cluster). */
	struct concurrency_test change;
	/* ns; time of the first answer after that point; 0: not found */
	uint64_t changed_ns;
	/* answers at the lowest level: differing ones, all; their ratio is the noise floor */
	uint64_t differing_alone, alone;
};

/* Runs all tests. levels: numbers of requests in flight, ascending. answers: in any order; the
 * function sorts them by time. */
void concurrency_judge(const unsigned *levels, size_t n_levels, struct concurrency_answer *answers,
        size_t n, struct concurrency *ret);

/* The share of answers above the lowest level that differ, minus that share at the lowest level,
 * with an interval over the clusters. */
void concurrency_effect(const struct concurrency_answer *answers, size_t n, struct estimate *ret);

/* A valid request that was sent repeatedly. `hits` of n answers after failing requests differ
 * from its first answer; so do hits_before of n_before answers before any failure. */
struct concurrency_probe {
	uint64_t hits, n, hits_before, n_before;
};

/*
 * Tests whether more answers differ after failures than by chance, if each probe's answers could
 * have come in any order. Exact and one-sided, for the sum of the hits given each probe's own hits
 * (the conditional test of a common odds ratio; for one probe it is Fisher's test). A probe whose
 * answers always differ does not count. looks: the number of tests that share the alpha; p is
 * multiplied by it.
 */
struct concurrency_test concurrency_poison(
        const struct concurrency_probe *probes, size_t n, unsigned looks);

/* True if the text ends in a piece of at most 64 bytes that repeats six times or more, over at
 * least 48 bytes. */
bool concurrency_loops(const char *text, size_t n);
/* The scripts (such as Cyrillic) with at least three characters in the text, one bit each. */
unsigned concurrency_scripts(const char *text, size_t n);
