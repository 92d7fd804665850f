#pragma once
/*
 * plot - the data of one figure of a publication, and its kind of chart. Its CSV file, its table
 * and its drawing are all made from it, so they show the same numbers.
 *
 * Texts and numbers come from an untrusted document. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/report/metric.h"

/* the most labels that are drawn on an axis; others are only in the CSV file */
#define PLOT_LABELS 32
#define PLOT_SERIES 8 /* the most series that are drawn; others are only in the CSV file */

enum plot_shape {
	PLOT_BARS,   /* a bar for each label; series side by side */
	PLOT_ROWS,   /* labels below each other, each with a mark and its interval */
	PLOT_LINE,   /* labels from left to right; a line for each series, with marks */
	PLOT_CURVE,  /* x is a number; a line, with marks where points have intervals */
	PLOT_STEPS,  /* as PLOT_CURVE, but each value stays until the next point */
	PLOT_POINTS, /* x is a number; a mark for each point, with its label */
};

struct plot_point {
	char *label, *series;     /* "": none */
	char *note;               /* text above a bar; NULL: none */
	struct metric_value x, y; /* x: NaN if the shape has labels */
};

/* Owns its texts, except `table`, which is static. */
struct plot {
	char *name;    /* name of its files, without a suffix: a-z, 0-9, _ and - */
	char *caption; /* sentences */
	enum plot_shape shape;
	enum metric_unit unit;   /* unit of y; x has plain numbers */
	char *x_label, *y_label; /* x_label may be NULL */
	double guide;            /* a dashed line at this value of y; NaN: none */
	bool diagonal;           /* a dashed line where x and y are equal */
	/* name of the table that shows its points; several plots may share one; NULL: none */
	const char *table;
	char *title; /* heading of its rows in the table; NULL: none */
	struct plot_point *points;
	size_t n;
};

/* Adds a point and copies its texts. Adds nothing if a number is unknown or too large to be
 * drawn, or after 20,000 points. */
void plot_add(struct plot *p, const char *label, const char *series, struct metric_value x,
        struct metric_value y);
void plot_finish(struct plot *p);

/* Write the different labels (series) to ret, at most `limit`, in the order of their first point
 * (series of PLOT_POINTS: by name), and return how many were written. The texts live as long as the
 * plot. */
size_t plot_labels(const struct plot *p, const char *ret[], size_t limit);
size_t plot_series(const struct plot *p, const char *ret[], size_t limit);
/* The point with this label and series; NULL: there is none. */
const struct plot_point *plot_find(const struct plot *p, const char *label, const char *series);

/* Writes n plots as one CSV file with a header. Numbers have all their digits. */
void plot_csv(const struct plot *plots, size_t n, FILE *to);
/* Writes a drawing for print, black on white; texts are text, not outlines. */
void plot_svg(const struct plot *p, FILE *to);
/* True if the shape has labels along an axis; false: x is a number. */
bool plot_has_labels(const struct plot *p);
/* True if the drawing is two columns of a page wide; false: one. */
bool plot_is_wide(const struct plot *p);
