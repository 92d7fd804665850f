#pragma once
/*
 * standings - several targets before one base, side by side: the figures of "The Silent Hyperparameter" on one's own engines,
 * each with its interval and beside it what the target and the base differ from themselves.
 *
 * Made of a document's groups. The paper tells its figures by captions alone: they are as docs/metrics.md defines them, which is
 * our reading of these. Pure.
 */
#include <stdbool.h>

#include <jansson.h>

#include "analyzer/report/metric.h"
#include "base/buf.h"

/* The standings of the targets against base, in the order of the names; the
 * caller's. Of a sweep, whose targets are precisions from the finest on, they say where the cliff is. */
json_t *standings_make(const json_t *document, const char *base, const char *const *names, size_t n,
        bool is_sweep);
#define STANDINGS_DEFINITIONS "as defined in docs/metrics.md, our reading of the captions"
#define STANDINGS_OTHER_SEEDS                                                                      \
	"\"itself\" is no floor here: it holds draws with unlike seeds against each other, which " \
	"chance moves apart, where a target and the base share each seed. So it may lie above "    \
	"the "                                                                                     \
	"figure. "

/* One of the paper's figures, or of ours beside it. */
struct standings_figure {
	const char *name; /* among a split's figures */
	const char *of_paper, *title, *note;
};
const struct standings_figure *standings_figures(size_t *ret_n);

/* Whether any row has the figure: others make no column. */
bool standings_has(const json_t *rows, const struct standings_figure *s);
/* With its interval; a dash where there is none. */
void standings_put_cell(struct buf *to, const json_t *figures, const struct standings_figure *s);
/* What the intervals are over, and what "itself" is where answers were sampled. */
void standings_put_seeds(struct buf *to, const json_t *standings);
void standings_put_cliff(struct buf *to, const json_t *standings);
/* What a target differs from itself is of draws with unlike seeds. */
bool standings_is_over_seeds(const json_t *row);
