#pragma once
/*
 * standings - makes a table of several targets compared with one base: the figures of "The Silent
 * Hyperparameter" (arXiv 2605.19537), each with its interval and with the noise floors of the
 * target and the base.
 *
 * The paper defines its figures only in captions; docs/metrics.md says how plumbline reads these.
 * Pure.
 */
#include <stdbool.h>

#include <jansson.h>

#include "analyzer/report/metric.h"
#include "base/buf.h"

/* Makes the standings from the document's groups: a row for each of the n targets in names, in
 * this order; a new reference. is_sweep: the targets are precisions, the finest first, and the
 * standings say where the cliff is (sweep_cliff.h). */
json_t *standings_make(const json_t *document, const char *base, const char *const *names, size_t n,
        bool is_sweep);
/* Makes the row of one group of the document; a new reference. */
json_t *standings_row(const json_t *document, const json_t *group);
/* Returns the group's by_decoding.greedy; without greedy answers, the decoding with the most pairs.
 * *ret_name: name of the decoding. NULL: the group has no decoding; *ret_name is unchanged. */
const json_t *standings_split(const json_t *group, const char **ret_name);

#define STANDINGS_DEFINITIONS "as defined in docs/metrics.md, our reading of the captions"
#define STANDINGS_OTHER_SEEDS                                                                      \
	"\"itself\" is no floor here: it compares answers of different seeds, "                    \
	"but a target and the base share each seed. So it may be above "                           \
	"the "                                                                                     \
	"figure. "

/* One of the paper's figures, or one of plumbline's own. */
struct standings_figure {
	const char *name;                    /* member of a split's "figures" */
	const char *of_paper, *title, *note; /* of_paper: "Figure 3"; NULL: plumbline's own.
	                                        note: what it counts */
};
const struct standings_figure *standings_figures(size_t *ret_n);

/* True if any row has the figure; else the table has no column for it. */
bool standings_has(const json_t *rows, const struct standings_figure *s);
/* Appends the figure with its interval and its n. If n is below METRIC_FEW, "too few" replaces the
 * figure; if there is no figure, appends "-". figures: "figures", "floor" or "base_floor" of a
 * row. */
void standings_put_cell(struct buf *to, const json_t *figures, const struct standings_figure *s);
/* Appends sentences: how many seeds the intervals cover, and what "itself" (the floor) means for
 * sampled answers. Nothing if neither applies. */
void standings_put_seeds(struct buf *to, const json_t *standings);
/* True if the row's "floor" compares answers with different seeds, so it is no noise floor. */
bool standings_is_over_seeds(const json_t *row);
