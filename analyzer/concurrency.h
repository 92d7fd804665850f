#pragma once
/*
 * concurrency - what several requests at once do to answers that should not depend on them: answers of the same
 * requests at several levels of concurrency, judged. Pure.
 *
 * Each request's first answer at the lowest level is its standard; all later answers to it, at that
 * level too, are held against it. So the lowest level, repeated, is the floor: what differs there differs by itself.
 *
 *	jump   a first difference that no rounding explains: of the two tokens there, the distance of the
 *	       logits moved by CONCURRENCY_JUMP nats or more between the two answers; by CONCURRENCY_JUMP_UNLISTED where
 *	       one of them is not even among the alternatives of the other answer, at least CONCURRENCY_LISTED
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONCURRENCY_JUMP 3.0
#define CONCURRENCY_JUMP_UNLISTED 1.0
#define CONCURRENCY_LISTED 4
#define CONCURRENCY_ALPHA 0.0005 /* of each test: of hundreds of runs none should alarm by chance */
/* Of jumps, where no answer at the lowest level differs: rounding makes none, so that less is asked of their number. */
#define CONCURRENCY_ALPHA_STILL 0.2
#define CONCURRENCY_LEVELS 16

enum concurrency_mark {
	CONCURRENCY_FAILED = 1 << 0,  /* an error, or no whole answer */
	CONCURRENCY_DIFFERS = 1 << 1, /* from its standard */
	CONCURRENCY_JUMPS = 1 << 2,
	CONCURRENCY_LOOPS = 1 << 3, /* ends in a loop, and its standard does not */
	CONCURRENCY_EMPTY = 1 << 4, /* says nothing, and its standard does */
	CONCURRENCY_FOREIGN =
	        1 << 5, /* in a script that neither its request nor its standard has */
};

/* An answer that was held against a standard, or failed. */
struct concurrency_answer {
	uint64_t start_ns;
	uint32_t level;   /* its number, the lowest first */
	uint32_t prompt;  /* its number, from 0 and without gaps: answers to one are alike */
	uint64_t cluster; /* of prompts that go together, as the turns of a session */
	unsigned marks;
};

struct concurrency_level {
	unsigned concurrency;
	uint64_t answers; /* that did not fail */
	uint64_t failed, differing, jumps, loops, empty, foreign;
};

/* One thing that was looked for. */
struct concurrency_test {
	uint64_t hits, n;
	double p; /* NaN: nothing to test */
	bool found;
};

struct concurrency {
	struct concurrency_level levels[CONCURRENCY_LEVELS];
	size_t n_levels;
	/*
	 * More of them above the lowest level than at it, or growing with its logarithm, prompt by prompt: the larger of Mantel's
	 * two statistics (the test of Cochran, Mantel and Haenszel with scores), against each prompt's answers dealt anew; of three
	 * prompts at least. Drift is of differences without a jump. What comes at the lowest level as well is the engine's own.
	 */
	struct concurrency_test drift, jumps, failed, loops, empty, foreign;
	/* From a moment on more answers differ, whatever the level (permuted within prompts and levels, by cluster). */
	struct concurrency_test change;
	uint64_t changed_ns;             /* the first answer behind it; 0: not found */
	uint64_t differing_alone, alone; /* the floor */
};

/* levels: ascending concurrencies. answers: any order; sorted by time here. */
void concurrency_judge(const unsigned *levels, size_t n_levels, struct concurrency_answer *answers,
        size_t n, struct concurrency *ret);

/* A healthy request that was asked again and again: of n answers behind failing requests hits differ from its first one, of n_before
 * others before any failed hits_before. */
struct concurrency_probe {
	uint64_t hits, n, hits_before, n_before;
};

/*
 * Do more differ behind failures than chance has it, if each probe's answers could have come in any order? Exact and one-sided, of
 * the sum of the hits, given each probe's own (the conditional test of a common odds ratio; of one probe it is Fisher's), so that
 * one that wavers by nature counts for nothing. p for having looked so many times.
 */
struct concurrency_test concurrency_poison(
        const struct concurrency_probe *probes, size_t n, unsigned looks);

/* The text ends in a piece of at most 64 bytes that comes six times or more, over 48 bytes at least. */
bool concurrency_loops(const char *text, size_t n);
/* Scripts of which a text has three characters or more, a bit each. */
unsigned concurrency_scripts(const char *text, size_t n);
