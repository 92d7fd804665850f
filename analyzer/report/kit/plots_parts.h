#pragma once
/*
 * plots_parts - what plots.c and plots_charts.c share, and only these.
 */
#include "analyzer/report/groups.h"
#include "analyzer/report/kit/plots.h"

#define INTERVALS " Lines are 95 %% intervals."

/* Adds an empty plot; the caller adds its caption and points. Its name is made from what and of
 * ("": no part of the name). unit: of y. Takes ownership of the labels. The result is valid
 * until the next call. */
struct plot *plots_begin(struct plots *all, enum plot_shape shape, const char *what, const char *of,
        enum metric_unit unit, char *x_label, char *y_label);
struct metric_value plots_number(double value);
/* Add a point with this label; plots_add_node(): its y is the member `name` of o, and there is
 * no point if it has no data. */
void plots_add(struct plot *p, const char *label, const char *series, struct metric_value y);
void plots_add_node(
        struct plot *p, const char *label, const char *series, const json_t *o, const char *name);
/* appends to the caption, which must be set */
void plots_put_behind(struct plot *p, const char *more);
/* The name of a pair of backends in figures: its test; if the document has pairs with several
 * bases, also its base. The caller frees it. */
char *plots_pair_name(const json_t *group, const struct groups *groups);

void plots_read_pairs(struct plots *all, const struct groups *groups);
void plots_read_draws(struct plots *all, const json_t *document);
