#pragma once
/*
 * ablation - finds which of several switches cause a difference. The caller asks one engine or more
 * under every combination of up to ABLATION_FACTORS switches with two settings each. A combination
 * is a cell; each cell is asked several times.
 *
 *	effect of a factor     among pairs of answers to one prompt that differ in this switch
 *	                       alone: the share of pairs whose answers differ, minus the mean share
 *	                       within both settings (their noise floors); averaged over the settings
 *	                       of the other switches. Its mean is 0 if the switch does nothing,
 *	                       whatever the noise
 *	effect given another   the effect with the other switch off, and with it on. The interaction
 *	                       is their difference. It has a direction: a change that the other
 *	                       switch's change hides counts as hidden
 *
 * A permutation test decides on an effect: if the switch does nothing, the answers of both settings
 * can be exchanged. A test that flips the signs of the prompts' differences decides on an
 * interaction. Both keep clusters (session or prompt) together; all tests of an ablation share
 * ABLATION_ALPHA (Holm). Answers differ if text, refusal or tool calls differ byte for byte. One
 * thread; the same result in every run.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/clusters.h"
#include "capture/capture.h"
#include "answers/reading.h"

#define ABLATION_FACTORS 5
#define ABLATION_CELLS (1u << ABLATION_FACTORS)
/* the most answers of a cell to one prompt; further ones are left out */
#define ABLATION_REPEATS 32
#define ABLATION_ALPHA 0.01
#define ABLATION_LEAST 6 /* the least number of prompts for any result */

/* An answer and its cell. Bit i of a cell's number: switch i is on. */
struct ablation_answer {
	const struct choice *choice;
	uint32_t cell;
};

struct ablation_cell {
	uint64_t answers, failed;
	/* answers that state their number of cached tokens; those where it is above 0 */
	uint64_t told, cached;
};

struct ablation;

struct ablation *ablation_create(size_t n_factors);
void ablation_destroy(struct ablation *a); /* NULL is fine */
/* Adds all answers to one prompt, in the order of the requests. */
void ablation_add(struct ablation *a, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct ablation_answer *answers, size_t n);

/* Maps backend and run of a leg to its cell. */
struct ablation_where {
	const char *backend;
	struct id run;
	uint32_t cell;
};
/* Adds all complete answers whose repeat is `from` or later. Reads the capture from its
 * beginning. */
void ablation_read(struct ablation *a, struct capture *c, const struct ablation_where *where,
        size_t n_where, uint32_t from);

struct ablation_effect {
	struct estimate flip; /* share of differing answers, minus the floors */
	/* first differences per 1,000 tokens at risk, minus the floors; NaN for interactions,
	 * and if there are no tokens */
	struct estimate hazard;
	/* for an interaction: the effect with the other switch off, and with it on */
	struct estimate off, on;
	double p, adjusted; /* NaN: not tested */
	bool found;
};
struct ablation_result {
	size_t n_factors, prompts; /* number of switches; number of clusters that can be compared */
	struct ablation_effect mains[ABLATION_FACTORS];
	/* [f][g]: the interaction: the effect of f with g on, minus that with g off */
	struct ablation_effect given[ABLATION_FACTORS][ABLATION_FACTORS];
	struct ablation_cell cells[ABLATION_CELLS];
	/* for each cell: the share of its pairs of answers that differ */
	struct estimate floors[ABLATION_CELLS];
	bool enough;
};
void ablation_judge(const struct ablation *a, struct ablation_result *ret);
/* True if the switch causes a difference on average over the settings of the other switches, or
 * a larger one with another switch on. An effect in few settings only may not show in the
 * average. */
bool ablation_carries(const struct ablation_result *r, size_t factor);
