#pragma once
/*
 * ablation - which of several switches carries a difference: one engine or more, asked the same under every combination of up to
 * ABLATION_FACTORS switches of two settings each, each combination (a cell) several times.
 *
 *	effect of a factor     answers to one prompt on both sides of the switch, with all other switches alike: the share of pairs that
 *	                       differ, less the mean of the shares within both sides (their noise floors); mean over the settings of the
 *	                       others. 0 in the mean where the switch does nothing, however noisy both sides are
 *	effect given another   the same with that other switch off, and on; the difference is the interaction. It has a direction: what
 *	                       hides behind the other's change counts as hidden
 *
 * An effect is tested by permutation: if the switch does nothing, answers on both sides could be exchanged. An interaction by turning
 * the signs of prompts' differences. Both by cluster (session or prompt); all tests of an ablation share ABLATION_ALPHA (Holm). Answers
 * differ if text, refusal or tool calls do, byte for byte. One thread; the same in every run.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/clusters.h"
#include "capture/capture.h"
#include "answers/reading.h"

#define ABLATION_FACTORS 5
#define ABLATION_CELLS (1u << ABLATION_FACTORS)
#define ABLATION_REPEATS 32 /* answers of a cell to one prompt; more are left out */
#define ABLATION_ALPHA 0.01
#define ABLATION_LEAST 6 /* prompts, of which anything can be said */

/* Bit i of a cell's number: switch i is on. */
struct ablation_answer {
	const struct choice *choice;
	uint32_t cell;
};

struct ablation_cell {
	uint64_t answers, failed;
	uint64_t told, cached; /* answers that tell their cached tokens; that had any */
};

struct ablation;

struct ablation *ablation_create(size_t n_factors);
void ablation_destroy(struct ablation *a); /* NULL is fine */
/* All answers to one prompt, in the order in which they were asked for. */
void ablation_add(struct ablation *a, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct ablation_answer *answers, size_t n);

/* Where the cell of a leg is looked up: by backend and run. */
struct ablation_where {
	const char *backend;
	struct id run;
	uint32_t cell;
};
/* Complete answers from repeat `from` on; the capture is read from its beginning. */
void ablation_read(struct ablation *a, struct capture *c, const struct ablation_where *where,
        size_t n_where, uint32_t from);

struct ablation_effect {
	struct estimate flip; /* share of answers, beyond the floors */
	struct estimate
	        hazard; /* first differences per 1,000 tokens at risk, beyond the floors; NaN without tokens, and of interactions */
	struct estimate off, on; /* of an interaction: the effect with the other switch off, on */
	double p, adjusted;      /* NaN: not tested */
	bool found;
};
struct ablation_result {
	size_t n_factors, prompts; /* clusters that can be compared */
	struct ablation_effect mains[ABLATION_FACTORS];
	/* [f][g]: how much more f does where g is on. */
	struct ablation_effect given[ABLATION_FACTORS][ABLATION_FACTORS];
	struct ablation_cell cells[ABLATION_CELLS];
	struct estimate floors[ABLATION_CELLS]; /* share of a cell's pairs of answers that differ */
	bool enough;
};
void ablation_judge(const struct ablation *a, struct ablation_result *ret);
/* Does the switch carry a difference? In the mean over the others' settings, or more with one of them: what it does in few settings only
 * may be lost in the mean. */
bool ablation_carries(const struct ablation_result *r, size_t factor);
