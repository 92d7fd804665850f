#pragma once
/*
 * standings - a table of several targets compared with one base: the figures of "The Silent
 * Hyperparameter", each with its interval and with the noise of the target and the base.
 *
 * Made from a document's groups. The paper defines its figures only in captions; docs/metrics.md
 * says how plumbline reads these. Pure.
 */
#include <stdbool.h>

#include <jansson.h>

#include "analyzer/report/metric.h"
#include "base/buf.h"

/* Makes the standings of the targets against base, in the order of names; a new reference.
 * is_sweep: the targets are precisions, the finest first, and the standings say where the cliff
 * is (sweep_cliff.h). */
json_t *standings_make(const json_t *document, const char *base, const char *const *names, size_t n,
        bool is_sweep);
/* Makes the row of one group of the document; a new reference. */
json_t *standings_row(const json_t *document, const json_t *group);
/* The object of the group's greedy answers; if there are none, that of the decoding with the
 * most pairs. *ret_name: name of the decoding. NULL: the group has none; *ret_name is not set. */
const json_t *standings_split(const json_t *group, const char **ret_name);
#define STANDINGS_DEFINITIONS "as defined in docs/metrics.md, our reading of the captions"
#define STANDINGS_OTHER_SEEDS                                                                      \
	"\"itself\" is no floor here: it compares answers of different seeds, "                    \
	"but a target and the base share each seed. So it may be above "                           \
	"the "                                                                                     \
	"figure. "

/* One of the paper's figures, or one of plumbline's own. */
struct standings_figure {
	const char *name;                    /* name in the document */
	const char *of_paper, *title, *note; /* of_paper: "Figure 3"; NULL: plumbline's own */
};
const struct standings_figure *standings_figures(size_t *ret_n);

/* True if any row has the figure; else the table has no column for it. */
bool standings_has(const json_t *rows, const struct standings_figure *s);
/* Appends the figure with its interval and its n; "too few" in its place if n is below
 * METRIC_FEW; "-" if there is no figure. */
void standings_put_cell(struct buf *to, const json_t *figures, const struct standings_figure *s);
/* Appends sentences: how many seeds the intervals cover, and what "itself" (the floor) means for
 * sampled answers. Nothing if neither applies. */
void standings_put_seeds(struct buf *to, const json_t *standings);
/* True if the target's own noise comes from answers with different seeds. */
bool standings_is_over_seeds(const json_t *row);
