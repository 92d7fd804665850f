#pragma once
/*
 * plots_parts - adds plots and their points to a list. For plots.c and plots_charts.c only.
 */
#include "analyzer/report/groups.h"
#include "analyzer/report/kit/plots.h"

#define INTERVALS " Lines are 95 %% intervals." /* in a printf() format */

/* Adds an empty plot; the caller then sets the caption and adds points. The plot's name is made
 * from `what` and `of` ("": from `what` alone). unit: of y. The plot frees the labels. The result
 * is valid until the next call. */
struct plot *plots_begin(struct plots *all, enum plot_shape shape, const char *what, const char *of,
        enum metric_unit unit, char *x_label, char *y_label);
struct metric_value plots_number(double value); /* without interval and n */
/* Add a point with this label. plots_add_node(): y is the member `name` of o, if it has data. */
void plots_add(struct plot *p, const char *label, const char *series, struct metric_value y);
void plots_add_node(
        struct plot *p, const char *label, const char *series, const json_t *o, const char *name);
void plots_extend_caption(struct plot *p, const char *more); /* the caption must be set */
/* The name of a pair of backends in figures: its test; if the groups have several bases, also its
 * base. The caller frees it. */
char *plots_pair_name(const json_t *group, const struct groups *groups);

/* Add the charts of each pair of backends; of how each backend draws its tokens. */
void plots_read_pairs(struct plots *all, const struct groups *groups);
void plots_read_draws(struct plots *all, const json_t *document);
