#pragma once
/*
 * plots_parts - functions that the files plots*.c share, and only these.
 */
#include "analyzer/report/groups.h"
#include "analyzer/report/kit/plots.h"

#define INTERVALS " Lines are 95 %% intervals."

/* Adds an empty plot; the caller adds its caption and points. what, of: make its name. unit: of
 * y. Takes ownership of the labels. */
struct plot *plots_begin(struct plots *all, enum plot_shape shape, const char *what, const char *of,
        enum metric_unit unit, char *x_label, char *y_label);
struct metric_value plots_number(double value);
bool plots_read_value(const json_t *o, const char *name, struct metric_value *ret);
/* Add a point with this label. */
void plots_add(struct plot *p, const char *label, const char *series, struct metric_value y);
void plots_add_node(
        struct plot *p, const char *label, const char *series, const json_t *o, const char *name);
void plots_put_behind(struct plot *p, const char *more); /* appends to the caption */
/* The name of a pair of backends in figures, with its base if the document has pairs with
 * several bases; the caller frees it. */
char *plots_pair_name(const json_t *group, const struct groups *groups);

void plots_read_pairs(struct plots *all, const struct groups *groups);
void plots_read_draws(struct plots *all, const json_t *document);
