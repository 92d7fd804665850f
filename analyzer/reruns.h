#pragma once
/*
 * reruns - what one backend answers to the same prompt again and again: all runs against all, not against the first.
 *
 *	mode        the most common answer to a prompt; of several the one that came first
 *	level       runs under one condition, such as so many requests in flight
 *
 * Answers are the same if text, refusal and tool calls (their ids apart) are, byte for byte. Prompts with one complete
 * answer count for nothing. Memory is bounded by the levels, not by the prompts, of which the worst are kept. One thread.
 */
#include "analyzer/stats/clusters.h"
#include "base/histogram.h"
#include "capture/capture.h"

#define RERUNS_LEVELS 16
#define RERUNS_WORST 10
#define RERUNS_TOKEN 48 /* bytes of a token that are kept */

enum rerun_figure {
	RERUN_ALL_ALIKE, /* prompts whose answers are all the same */
	RERUN_MODE, /* mean share of the mode among a prompt's answers: the determinism score */
	RERUN_AGREE, /* mean share of a prompt's pairs of answers that are the same: output consistency */
	RERUN_FIRST, /* mean share of answers that are as the first, which counts too: infer-check's score */
	RERUN_REASONING, /* of prompts with reasoning: it is all the same */
	N_RERUN_FIGURES,
};

/* Pairs of answers to one prompt, by what else was the same; shares that agree, each prompt counting once. */
enum rerun_pairs {
	RERUN_SAME_LEVEL,
	RERUN_OTHER_LEVEL,
	RERUN_SAME_CACHE, /* as many prompt tokens out of the cache, as the engine tells; both within a level */
	RERUN_OTHER_CACHE,
	N_RERUN_PAIRS,
};

struct reruns_level {
	uint64_t prompts, answers, failed; /* failed: cut or refused; in no figure */
	struct clusters *clusters;         /* N_RERUN_FIGURES; NULL while there is nothing */
};

struct reruns_prompt {
	struct id exchange;
	char item[64]; /* of its suite; "" */
	uint32_t answers, distinct, of_mode;
	bool has_token;
	uint32_t first; /* token, else byte, at which the first other answer leaves the mode */
	char mode_token[RERUNS_TOKEN], other_token[RERUNS_TOKEN];
};

struct reruns { /* zero-initialised is empty */
	struct reruns_level all, levels[RERUNS_LEVELS];
	struct clusters *pairs; /* N_RERUN_PAIRS */
	struct histogram first_token,
	        first_byte; /* where other answers leave the mode, each distinct one once */
	uint64_t distinct, most_distinct;
	struct reruns_prompt worst[RERUNS_WORST]; /* the least alike first */
	size_t n_worst;
};

struct rerun_answer {
	const struct choice *choice;
	uint32_t level;
	int64_t cached; /* prompt tokens; -1: not told */
};

/* In the order in which they came; item may be NULL. */
void reruns_add(struct reruns *r, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct id exchange,
        const char *item, const struct rerun_answer *answers, size_t n);
/* All complete answers of the backend in these runs, each of which is a level; the capture is read from the beginning. */
void reruns_read(struct reruns *r, struct capture *c, const char *backend, const struct id *runs,
        size_t n_runs);
void reruns_finish(struct reruns *r);

void reruns_estimate(const struct reruns_level *l, struct estimate ret[N_RERUN_FIGURES]);
void reruns_estimate_pairs(const struct reruns *r, struct estimate ret[N_RERUN_PAIRS]);
/* How much more often answers differ where the condition does: of levels, of cached tokens. Value NaN: not known. */
struct reruns_gaps {
	struct estimate level, cache;
};
void reruns_estimate_gaps(const struct reruns *r, struct reruns_gaps *ret);
