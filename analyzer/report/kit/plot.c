#include "analyzer/report/kit/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LARGEST 1e12 /* larger numbers are none of plumbline's figures */
#define POINTS_LIMIT 20000

static bool can_be_drawn(const struct metric_value *v)
{
	return fabs(v->value) < LARGEST && !(fabs(v->low) > LARGEST) &&
	       !(fabs(v->high) > LARGEST) && !(v->is_range && fabs(v->most) > LARGEST);
}

bool plot_has_labels(const struct plot *p)
{
	return p->shape == PLOT_BARS || p->shape == PLOT_ROWS || p->shape == PLOT_LINE;
}

void plot_add(struct plot *p, const char *label, const char *series, struct metric_value x,
        struct metric_value y)
{
	if (can_be_drawn(&y) && (plot_has_labels(p) || can_be_drawn(&x)) && p->n < POINTS_LIMIT) {
		p->points = xrealloc(p->points, (p->n + 1) * sizeof(*p->points));
		p->points[p->n++] = (struct plot_point){
		        .label = xstrdup(label), .series = xstrdup(series), .x = x, .y = y};
	}
}

void plot_finish(struct plot *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->points[i].label);
		free(p->points[i].series);
		free(p->points[i].note);
	}
	free(p->points);
	free(p->name);
	free(p->caption);
	free(p->x_label);
	free(p->y_label);
	free(p->title);
}

static size_t add_distinct(const char *text, const char *to[], size_t n, size_t limit)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(to[i], text) == 0) {
			return n;
		}
	}
	if (n < limit) {
		to[n++] = text;
	}
	return n;
}

size_t plot_labels(const struct plot *p, const char *ret[], size_t limit)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		n = add_distinct(p->points[i].label, ret, n, limit);
	}
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t plot_series(const struct plot *p, const char *ret[], size_t limit)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		n = add_distinct(p->points[i].series, ret, n, limit);
	}
	if (p->shape == PLOT_POINTS) { /* so that drawings of several pairs use the same marks */
		qsort(ret, n, sizeof(*ret), by_name);
	}
	return n;
}

const struct plot_point *plot_find(const struct plot *p, const char *label, const char *series)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct plot_point *point = &p->points[i];
		if (strcmp(point->label, label) == 0 && strcmp(point->series, series) == 0) {
			return point;
		}
	}
	return NULL;
}

bool plot_is_wide(const struct plot *p)
{
	const char *labels[PLOT_LABELS];
	size_t n = plot_labels(p, labels, PLOT_LABELS), longest = 0;
	for (size_t i = 0; i < n; i++) {
		longest = MAX(longest, strlen(labels[i]));
	}
	return (p->shape == PLOT_BARS && n > 6) || (p->shape == PLOT_LINE && n > 10) ||
	       (p->shape == PLOT_ROWS && longest > 18);
}

/* A spreadsheet would run a text that begins like a formula, so such a text gets an apostrophe. */
static void put_text(FILE *to, const char *text)
{
	fprintf(to, *text && strchr("=+-@\t\r", *text) ? ",\"'" : ",\"");
	for (; *text; text++) {
		fputs(*text == '"' ? "\"" : "", to);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, to);
	}
	fputc('"', to);
}

static void put_point(FILE *to, const struct plot_point *point)
{
	const double numbers[] = {point->x.value, point->x.low, point->x.high, point->y.value,
	        point->y.low, point->y.high, point->y.is_range ? point->y.most : NAN, point->y.n};
	put_text(to, point->label);
	put_text(to, point->series);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		if (isnan(numbers[i])) {
			fputc(',', to);
		} else {
			fprintf(to, ",%.17g", numbers[i]);
		}
	}
	fputc('\n', to);
}

void plot_csv(const struct plot *plots, size_t n, FILE *to)
{
	fputs("figure,label,series,x,x_low,x_high,y,y_low,y_high,y_at_most,n\n", to);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < plots[i].n; k++) {
			fputs(plots[i].name, to);
			put_point(to, &plots[i].points[k]);
		}
	}
}
