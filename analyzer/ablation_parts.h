#pragma once
/*
 * ablation_parts - what ablation.c (answers, figures) and ablation_judge.c (tests) share. For these
 * two files only.
 */
#include "analyzer/ablation.h"

/* One prompt. Its answers are ordered by cell. */
struct ablation_prompt {
	uint8_t cluster[CLUSTERS_KEY_SIZE];
	/* index of its first answer in ablation.text_numbers */
	size_t from;
	uint8_t n[ABLATION_CELLS]; /* number of answers of each cell */
};

enum ablation_side { BETWEEN, WITHIN_OFF, WITHIN_ON, N_ABLATION_SIDES };

struct ablation {
	size_t n_factors;
	struct clusters *clusters; /* figures: see the functions below */
	struct ablation_prompt *prompts;
	size_t n_prompts, prompts_room;
	/* for each answer a number; answers to one prompt are equal if their numbers are equal */
	uint16_t *text_numbers;
	size_t n_text_numbers, text_numbers_room;
	struct ablation_cell cells[ABLATION_CELLS];
};

/*
 * Each function returns the index of a figure of `clusters`, not a value.
 *
 *	main    share of differing pairs, for one switch. side: BETWEEN the cells with the switch
 *	        off and on, or within one of them
 *	hazard  the same, per comparable token
 *	given   as main, but only over cells in which the switch `other` is off or on
 *	floor   share of differing pairs within one cell
 */
size_t ablation_main_figure(size_t factor, enum ablation_side side);
size_t ablation_hazard_figure(size_t factor, enum ablation_side side);
size_t ablation_given_figure(
        const struct ablation *a, size_t factor, size_t other, bool on, enum ablation_side side);
size_t ablation_floor_figure(const struct ablation *a, size_t cell);
