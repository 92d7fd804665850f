#pragma once
/*
 * plots_parts - what the parts of plots share. For these alone.
 */
#include "analyzer/report/groups.h"
#include "analyzer/report/kit/plots.h"

#define INTERVALS " Lines are 95 %% intervals."

/* Begins a plot, whose caption and points the caller adds. unit: of y. Takes ownership of the
 * labels. */
struct plot *plots_begin(struct plots *all, enum plot_shape shape, const char *what, const char *of,
        enum metric_unit unit, char *x_label, char *y_label);
struct metric_value plots_number(double value);
bool plots_read_value(const json_t *o, const char *name, struct metric_value *ret);
/* Add a point at a label. */
void plots_add(struct plot *p, const char *label, const char *series, struct metric_value y);
void plots_add_node(
        struct plot *p, const char *label, const char *series, const json_t *o, const char *name);
void plots_put_behind(struct plot *p, const char *more); /* the caption */
/* The name of a pair in figures, with its base if the pairs of the document have several. */
char *plots_pair_name(const json_t *group, const struct groups *groups);

void plots_read_pairs(struct plots *all, const struct groups *groups);
void plots_read_draws(struct plots *all, const json_t *document);
