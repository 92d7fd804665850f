#pragma once
/*
 * concurrency - finds effects of concurrent requests on answers that should not depend on them. It
 * compares answers to the same requests at several levels of concurrency (requests in flight).
 * Pure.
 *
 * The first answer to each request at the lowest level is its *standard*. All other answers are
 * compared with the standard, also those at the lowest level: these give the noise floor.
 *
 *	jump   a first difference that rounding does not explain: its shift
 *	       (compare/tokens/first_difference_kind.h) is at least CONCURRENCY_JUMP nats, or
 *	       CONCURRENCY_JUMP_UNLISTED if a token is missing in the other answer's list and both
 *	       lists have at least CONCURRENCY_LISTED alternatives
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/clusters.h"

#define CONCURRENCY_JUMP 3.0
#define CONCURRENCY_JUMP_UNLISTED 1.0
#define CONCURRENCY_LISTED 4
/* the alpha of each test, chosen so that hundreds of runs give no false alarm */
#define CONCURRENCY_ALPHA 0.0005
/* The alpha of the test of jumps, if no answer at the lowest level differs. Rounding never
 * causes jumps, so less evidence is enough. */
#define CONCURRENCY_ALPHA_STILL 0.2
#define CONCURRENCY_LEVELS 16

enum concurrency_mark {
	CONCURRENCY_FAILED = 1 << 0,  /* an error, or an incomplete answer */
	CONCURRENCY_DIFFERS = 1 << 1, /* differs from its standard */
	CONCURRENCY_JUMPS = 1 << 2,
	CONCURRENCY_LOOPS = 1 << 3, /* ends in a loop; its standard does not */
	CONCURRENCY_EMPTY = 1 << 4, /* is empty; its standard is not */
	/* has a script (such as Cyrillic) that neither its request nor its standard has */
	CONCURRENCY_FOREIGN = 1 << 5,
};

/* An answer that was compared with a standard, or failed. */
struct concurrency_answer {
	uint64_t start_ns;
	uint32_t level;  /* index of the level; 0: the lowest */
	uint32_t prompt; /* index of the prompt, from 0 without gaps */
	/* equal for prompts of one cluster */
	uint64_t cluster;
	unsigned marks;
};

struct concurrency_level {
	unsigned concurrency;
	uint64_t answers; /* without failed ones */
	uint64_t failed, differing, jumps, loops, empty, foreign;
};

/* The result of one test: n answers, of which `hits` have the fault. */
struct concurrency_test {
	uint64_t hits, n;
	double p; /* NaN: not tested, because of too little data or no hits */
	bool found;
};

struct concurrency {
	struct concurrency_level levels[CONCURRENCY_LEVELS];
	size_t n_levels;
	/*
	 * Each test asks two questions: is a fault more frequent above the lowest level than at
	 * the lowest level; does it become more frequent with the logarithm of the level? The test
	 * takes the larger of Mantel's two statistics (Cochran, Mantel and Haenszel with scores)
	 * and compares it with permutations within each prompt. A fault that is as frequent at the
	 * lowest level is not an effect of concurrency.
	 *
	 * A fault is found only if three prompts or more show it above the lowest level. In
	 * addition, drift (differences without a jump) is found only if it is more than half of all
	 * differing answers, and at least five; jumps only if they are at least a fifth of all
	 * differing answers.
	 */
	struct concurrency_test drift, jumps, failed, loops, empty, foreign;
	/* Tests whether more answers differ after some point in time, at any level: permutations
	 * within each prompt and level. Needs 30 answers, and five that differ. */
	struct concurrency_test change;
	/* `change` was found: the start of the first answer after that point, ns; else 0 */
	uint64_t changed_ns;
	/* Answers at the lowest level. differing_alone / alone is the noise floor. */
	uint64_t differing_alone, alone;
	uint64_t differing_loaded, loaded; /* answers above the lowest level */
};

/* Runs all tests. levels: numbers of requests in flight, ascending, at most CONCURRENCY_LEVELS.
 * Sorts the caller's array `answers` by start. Overwrites *ret, which needs no freeing. */
void concurrency_judge(const unsigned *levels, size_t n_levels, struct concurrency_answer *answers,
        size_t n, struct concurrency *ret);

/* Estimates the share of differing answers above the lowest level, minus that share at the lowest
 * level, with an interval over clusters. Failed answers do not count. */
void concurrency_effect(const struct concurrency_answer *answers, size_t n, struct estimate *ret);

/* A valid request that was sent repeatedly, among failing requests. Its later answers are compared
 * with its first answer. n: later answers after a failure; hits: those that differ. n_before,
 * hits_before: the same for later answers before any failure. */
struct concurrency_probe {
	uint64_t hits, n, hits_before, n_before;
};

/*
 * Tests whether more answers differ after failures than before. Exact and one-sided, for the sum of
 * `hits`, given each probe's hits + hits_before (the conditional test of a common odds ratio; for
 * one probe, Fisher's test). A probe whose answers all differ has no effect on p. looks: the number
 * of tests that share the alpha; p is multiplied by this number.
 */
struct concurrency_test concurrency_poison(
        const struct concurrency_probe *probes, size_t n, unsigned looks);

/* True if the text ends in a piece of at most 64 bytes that repeats six times or more, over at
 * least 48 bytes. */
bool concurrency_loops(const char *text, size_t n);
/* The scripts (such as Cyrillic) with at least three characters in the text: one bit for each. */
unsigned concurrency_scripts(const char *text, size_t n);
