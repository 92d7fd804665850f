#pragma once
/*
 * reruns - compares all answers of one backend to the same prompt with each other.
 *
 *	mode    the most common answer to a prompt; of several equally common ones, the first
 *	level   a run: answers made under one condition, such as a number of requests in flight
 *
 * Answers are equal if text, refusal and tool calls (without their ids) are equal byte for byte.
 * Prompts with only one complete answer do not count. Memory is limited: it grows with the number
 * of levels, not of prompts, and only the worst prompts are kept. One thread.
 */
#include "analyzer/stats/clusters.h"
#include "base/histogram.h"
#include "capture/capture.h"

#define RERUNS_LEVELS 16
#define RERUNS_WORST 10
#define RERUNS_TOKEN 48 /* bytes that are stored of a token */

enum rerun_figure {
	RERUN_ALL_ALIKE, /* share of prompts whose answers are all equal */
	RERUN_MODE,      /* the determinism score: mean over prompts of the share of the mode */
	RERUN_AGREE,     /* output consistency: mean over prompts of the share of equal pairs */
	/* infer-check's score: mean share of a prompt's answers that equal its first answer; the
	 * first answer itself counts */
	RERUN_FIRST,
	RERUN_REASONING, /* share of the prompts with reasoning whose reasonings are all equal */
	N_RERUN_FIGURES,
};

/* Shares of equal pairs of answers to one prompt, by what the two answers have in common. Each
 * prompt counts once. */
enum rerun_pairs {
	RERUN_SAME_LEVEL,
	RERUN_OTHER_LEVEL,
	/* pairs of one level: with equal (SAME) or different (OTHER) numbers of cached prompt
	 * tokens, as the engine states them */
	RERUN_SAME_CACHE,
	RERUN_OTHER_CACHE,
	N_RERUN_PAIRS,
};

struct reruns_level {
	/* prompts, answers: of prompts with two answers or more. failed: incomplete or refused
	 * answers, which count in no figure; set by reruns_read() only */
	uint64_t prompts, answers, failed;
	struct clusters *clusters; /* N_RERUN_FIGURES figures; NULL: no data yet */
};

struct reruns_prompt {
	struct id exchange;
	char item[64];                       /* name of its item in a suite, cut to fit; "": none */
	uint32_t answers, distinct, of_mode; /* all; different ones; those equal to the mode */
	bool has_token;
	/* index of the first token (has_token) or byte at which another answer differs from the
	 * mode; the smallest of all answers */
	uint32_t first;
	char mode_token[RERUNS_TOKEN], other_token[RERUNS_TOKEN];
};

struct reruns { /* zero-initialised: empty */
	struct reruns_level all, levels[RERUNS_LEVELS];
	struct clusters *pairs; /* N_RERUN_PAIRS figures */
	/* where answers first differ from the mode, each distinct answer of a prompt once */
	struct histogram first_token, first_byte;
	/* distinct answers of each prompt: their sum; their maximum */
	uint64_t distinct, most_distinct;
	/* the prompts with the smallest share of the mode, in rising order of this share */
	struct reruns_prompt worst[RERUNS_WORST];
	size_t n_worst;
};

struct rerun_answer {
	const struct choice *choice;
	uint32_t level; /* index of its level, below RERUNS_LEVELS */
	int64_t cached; /* cached prompt tokens; -1: not known */
};

/* Adds all answers to one prompt, in the order in which they came. Call once for each prompt.
 * item: see struct reruns_prompt; NULL: none. Copies what it keeps. */
void reruns_add(struct reruns *r, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct id exchange,
        const char *item, const struct rerun_answer *answers, size_t n);
/* Reads the whole capture and adds the backend's complete answers in these runs. runs[i] becomes
 * level i. n_runs: at most RERUNS_LEVELS. */
void reruns_read(struct reruns *r, struct capture *c, const char *backend, const struct id *runs,
        size_t n_runs);
void reruns_finish(struct reruns *r);

/* Estimate the figures of one level, and those over pairs. Value NaN: there is no data. */
void reruns_estimate(const struct reruns_level *l, struct estimate ret[N_RERUN_FIGURES]);
void reruns_estimate_pairs(const struct reruns *r, struct estimate ret[N_RERUN_PAIRS]);
/* The share of equal pairs under equal conditions, minus this share under different conditions.
 *	level  the condition is the level
 *	cache  the condition is the number of cached tokens
 *
 * Value NaN: unknown. */
struct reruns_gaps {
	struct estimate level, cache;
};
void reruns_estimate_gaps(const struct reruns *r, struct reruns_gaps *ret);
