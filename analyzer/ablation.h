#pragma once
/*
 * ablation - finds which of several switches cause a difference. There are up to ABLATION_FACTORS
 * switches (*factors*), each with two settings. A *cell* is a combination of settings. The caller
 * sends the same prompts several times under every cell, to one engine or more.
 *
 *	effect of a factor     compares the answers to one prompt in two cells that differ in this
 *	                       switch alone: the share of differing pairs between the cells, minus
 *	                       the mean of the shares within the cells (the noise floors). Averaged
 *	                       over the settings of the other switches. 0 on average if the switch
 *	                       does nothing
 *	effect given another   the effect with the other switch off, and with it on. The
 *	                       interaction of two switches is the difference of these two effects
 *
 * The interaction of f with g may differ from that of g with f: if the change by g hides the change
 * by f, the effect of f is smaller with g on, but the effect of g is not smaller with f on.
 *
 * A permutation test decides on an effect: if the switch does nothing, the answers of both settings
 * can be exchanged. A test that flips the signs of the prompts' differences decides on an
 * interaction. Both keep clusters together. All tests of an ablation share ABLATION_ALPHA (Holm).
 * Answers differ if text, refusal or tool calls differ byte for byte. One thread; the same result
 * in every run.
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
#define ABLATION_LEAST 6 /* the least number of clusters for any test */

/* An answer and its cell. Bit i of a cell's number: switch i is on. */
struct ablation_answer {
	const struct choice *choice;
	uint32_t cell;
};

struct ablation_cell {
	uint64_t answers, failed;
	/* set by ablation_read() only. n_stated: answers that state a number of cached tokens;
	 * cached: those of them with at least one cached token */
	uint64_t n_stated, cached;
};

struct ablation;

struct ablation *ablation_create(size_t n_factors);
void ablation_destroy(struct ablation *a);
/* Adds all answers to one prompt, in the order of the requests. Call once for each prompt. Keeps
 * no pointer to the answers. */
void ablation_add(struct ablation *a, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct ablation_answer *answers, size_t n);

/* The cell of the legs with this backend and run. */
struct ablation_where {
	const char *backend;
	struct id run;
	uint32_t cell;
};
/* Reads the whole capture and adds the complete answers of these cells. Leaves out answers whose
 * repeat (capture/record.h) is below `from`. */
void ablation_read(struct ablation *a, struct capture *c, const struct ablation_where *where,
        size_t n_where, uint32_t from);

struct ablation_effect {
	struct estimate flip; /* the effect: a share of pairs */
	/* The effect in first differences per 1,000 comparable positions. Value NaN: no tokens, or
	 * this is an interaction. */
	struct estimate hazard;
	/* for an interaction: the effect with the other switch off, and with it on */
	struct estimate off, on;
	double p, adjusted; /* adjusted: p by Holm; NaN: not tested */
	bool found;
};
struct ablation_result {
	size_t n_factors, prompts; /* prompts: clusters with data for every switch */
	struct ablation_effect mains[ABLATION_FACTORS];
	/* [f][g]: the interaction: the effect of f with g on, minus that with g off */
	struct ablation_effect given[ABLATION_FACTORS][ABLATION_FACTORS];
	struct ablation_cell cells[ABLATION_CELLS];
	/* for each cell: the share of differing pairs within the cell */
	struct estimate floors[ABLATION_CELLS];
	bool enough; /* prompts is at least ABLATION_LEAST; if not, nothing is tested */
};
/* Makes all estimates and tests. Overwrites *ret, which needs no freeing. */
void ablation_judge(const struct ablation *a, struct ablation_result *ret);
/* True if the switch has an effect (mains[].found), or if this effect depends on another switch
 * (given[][].found). May be false for an effect that only few cells show. */
bool ablation_carries(const struct ablation_result *r, size_t factor);
