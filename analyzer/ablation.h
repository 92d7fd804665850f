#pragma once
/*
 * ablation - finds which of several switches cause a difference. It asks one engine or more under
 * every combination of up to ABLATION_FACTORS switches with two settings each, each combination (a
 * cell) several times.
 *
 *	effect of a factor     the share of differing pairs of answers to one prompt across the
 *	                       switch, all other switches being equal, minus the mean share within
 *	                       both sides (their noise floors); averaged over the settings of the
 *	                       others. Its mean is 0 if the switch does nothing, whatever the noise
 *	effect given another   the same with the other switch off, and on; the difference is the
 *	                       interaction. It has a direction: a change hidden by the other
 *	                       switch's change counts as hidden
 *
 * An effect is tested by permutation: if the switch does nothing, answers on both sides are
 * exchangeable. An interaction is tested by flipping the signs of the prompts' differences. Both by
 * cluster (session or prompt); all tests of an ablation share ABLATION_ALPHA (Holm). Answers differ
 * if text, refusal or tool calls differ byte for byte. One thread; the same result in every run.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/clusters.h"
#include "capture/capture.h"
#include "answers/reading.h"

#define ABLATION_FACTORS 5
#define ABLATION_CELLS (1u << ABLATION_FACTORS)
#define ABLATION_REPEATS 32 /* answers of a cell to one prompt; further ones are left out */
#define ABLATION_ALPHA 0.01
#define ABLATION_LEAST 6 /* the least number of prompts for any result */

/* Bit i of a cell's number: switch i is on. */
struct ablation_answer {
	const struct choice *choice;
	uint32_t cell;
};

struct ablation_cell {
	uint64_t answers, failed;
	/* answers that report their cached tokens; of these: with cached tokens */
	uint64_t told, cached;
};

struct ablation;

struct ablation *ablation_create(size_t n_factors);
void ablation_destroy(struct ablation *a); /* NULL is fine */
/* All answers to one prompt, in the order of the requests. */
void ablation_add(struct ablation *a, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct ablation_answer *answers, size_t n);

/* Maps backend and run of a leg to its cell. */
struct ablation_where {
	const char *backend;
	struct id run;
	uint32_t cell;
};
/* Adds complete answers from repeat `from` on; reads the capture from its beginning. */
void ablation_read(struct ablation *a, struct capture *c, const struct ablation_where *where,
        size_t n_where, uint32_t from);

struct ablation_effect {
	struct estimate flip; /* share of answers, minus the floors */
	struct estimate
	        /* first differences per 1,000 tokens at risk, minus the floors; NaN without tokens,
	         * and for interactions */
	        hazard;
	struct estimate off, on; /* for an interaction: the effect with the other switch off, on */
	double p, adjusted;      /* NaN: not tested */
	bool found;
};
struct ablation_result {
	size_t n_factors, prompts; /* clusters that can be compared */
	struct ablation_effect mains[ABLATION_FACTORS];
	/* [f][g]: the effect of f with g on, minus that with g off. */
	struct ablation_effect given[ABLATION_FACTORS][ABLATION_FACTORS];
	struct ablation_cell cells[ABLATION_CELLS];
	struct estimate floors[ABLATION_CELLS]; /* share of a cell's pairs of answers that differ */
	bool enough;
};
void ablation_judge(const struct ablation *a, struct ablation_result *ret);
/* Whether the switch causes a difference: on average over the others' settings, or more with one of
 * them on. An effect in few settings only may not show in the average. */
bool ablation_carries(const struct ablation_result *r, size_t factor);
