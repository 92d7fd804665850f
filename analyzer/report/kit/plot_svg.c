/*
 * The drawing of a plot. Lengths are points of 1/72 inch.
 *
 * Marks are in the order of the plot's points, each in a group of the class "mark"; the texts of
 * ticks have the class "tick". So a program can measure which values are drawn.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/escape.h"
#include "analyzer/report/kit/plot.h"
#include "analyzer/report/kit/scale.h"

#define COLUMN 240.0      /* width of one column */
#define TWO_COLUMNS 504.0 /* of two */
#define LETTER 4.3        /* mean width of a letter */
#define LINE 11.0         /* height of a line of text */
#define LETTERS 36        /* shown of a text; the CSV file has all of it */
#define ROW 13.0          /* height of a row */
#define AREA 130.0        /* height of the plot's area, where it has no rows */
#define TURN 30.0         /* degrees by which long labels are turned */

struct drawing {
	const struct plot *p;
	FILE *to;
	const char *labels[PLOT_LABELS], *series[PLOT_SERIES];
	size_t n_labels, n_series;
	double width, height;
	double label_width;              /* of the widest */
	double left, right, top, bottom; /* of the plot's area */
	struct scale x, y;               /* y is horizontal if the labels are rows */
};

static const char GRID[] = "stroke=\"#ccc\" stroke-width=\"0.4\"";
static const char AXIS[] = "stroke=\"#000\" stroke-width=\"0.6\"";
static const char GUIDE[] = "stroke=\"#000\" stroke-width=\"0.6\" stroke-dasharray=\"3 2\"";
static const char WHISKER[] = "class=\"whisker\" stroke=\"#000\" stroke-width=\"0.7\"";
static const char *const FILLS[] = {"#888", "#fff", "#ccc", "#444"};
static const char UNDECIDED[] = "#e4e4e4";
static const char *const DASHES[] = {"none", "5 2", "1.5 1.5", "6 2 1.5 2"};

static void put_tick(struct buf *to, enum metric_unit unit, double value)
{
	double shown = unit == METRIC_SHARE ? 100 * value : value;
	buf_printf(to, "%s%.6g%s", shown < 0 ? "\xe2\x88\x92" : "", fabs(shown),
	        unit == METRIC_SHARE ? " %" : "");
}

/* As much of the text as is drawn. Returns its width. */
static double put_short(struct buf *to, const char *text)
{
	size_t n = 0, len = 0;
	while (text[len] && (n < LETTERS || (text[len] & 0xc0) == 0x80)) {
		n += (text[len++] & 0xc0) != 0x80;
	}
	buf_append(to, text, len);
	buf_append_str(to, text[len] ? "\xe2\x80\xa6" : "");
	return LETTER * (double)n;
}

static double text_width(const char *text)
{
	struct buf shown = {0};
	double width = put_short(&shown, text);
	buf_finish(&shown);
	return width;
}

/* more: further attributes. */
static void put_text(struct drawing *d, double x, double y, const char *anchor, const char *more,
        const char *text)
{
	struct buf shown = {0}, safe = {0};
	(void)put_short(&shown, text);
	escape_xml(&safe, buf_cstr(&shown));
	fprintf(d->to, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" %s>%s</text>\n", x, y,
	        anchor, more, buf_cstr(&safe));
	buf_finish(&safe);
	buf_finish(&shown);
}

static void put_turned(
        struct drawing *d, double x, double y, const char *anchor, double degrees, const char *text)
{
	char turn[64];
	snprintf(turn, sizeof(turn), "transform=\"rotate(-%.0f %.2f %.2f)\"", degrees, x, y);
	put_text(d, x, y, anchor, turn, text);
}

static void put_line(
        struct drawing *d, double x1, double y1, double x2, double y2, const char *stroke)
{
	fprintf(d->to, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", x1, y1, x2,
	        y2, stroke);
}

static void put_box(struct drawing *d, double x, double width, double y1, double y2,
        const char *class, const char *fill)
{
	fprintf(d->to,
	        "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
	        "fill=\"%s\" stroke=\"#000\" stroke-width=\"0.5\"/>\n",
	        class, x, fmin(y1, y2), width, fabs(y2 - y1), fill);
}

/* The sign of a series. */
static void put_sign(struct drawing *d, double x, double y, size_t series)
{
	static const struct {
		const char *path, *fill;
	} SIGNS[PLOT_SERIES] = {
	        {"M-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0Z", "#000"}, /* circle */
	        {"M-2 -2H2V2H-2Z", "#fff"},                                    /* square */
	        {"M0 -2.6L2.5 2H-2.5Z", "#888"},                               /* triangle */
	        {"M0 -2.8L2.8 0L0 2.8L-2.8 0Z", "#fff"},                       /* diamond */
	        {"M-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0Z", "#fff"},
	        {"M-2 -2H2V2H-2Z", "#000"},
	        {"M0 -2.6L2.5 2H-2.5Z", "#fff"},
	        {"M0 -2.8L2.8 0L0 2.8L-2.8 0Z", "#000"},
	};
	fprintf(d->to,
	        "<path class=\"sign\" transform=\"translate(%.2f %.2f)\" d=\"%s\" fill=\"%s\" "
	        "stroke=\"#000\" stroke-width=\"0.6\"/>\n",
	        x, y, SIGNS[series].path, SIGNS[series].fill);
}

static bool is_rows(const struct drawing *d)
{
	return d->p->shape == PLOT_ROWS;
}

static bool is_curve(const struct drawing *d)
{
	return d->p->shape == PLOT_CURVE || d->p->shape == PLOT_STEPS;
}

static bool has_undecided(const struct plot *p)
{
	bool any = false;
	for (size_t i = 0; i < p->n; i++) {
		any |= metric_is_open(&p->points[i].y);
	}
	return any;
}

/* From the least value to the greatest, with 0 and all intervals, in whole steps. */
static void read_scale(struct scale *s, const struct drawing *d, bool is_x)
{
	const struct plot *p = d->p;
	bool is_share = !is_x && p->unit == METRIC_SHARE;
	*s = (struct scale){.low = 0};
	scale_include(s, is_x ? NAN : p->guide);
	scale_include(s, is_share && p->shape == PLOT_STEPS ? 1 : NAN);
	for (size_t i = 0; i < p->n; i++) {
		const struct metric_value *v = is_x ? &p->points[i].x : &p->points[i].y;
		scale_include(s, v->value);
		scale_include(s, v->low);
		scale_include(s, v->high);
		scale_include(s, v->is_range ? v->most : NAN);
	}
	scale_settle(s, is_share ? 0.01 : 1, !(is_x && is_curve(d)));
}

static double slot(const struct drawing *d)
{
	return (is_rows(d) ? d->bottom - d->top : d->right - d->left) / (double)d->n_labels;
}

static bool is_turned(const struct drawing *d)
{
	return plot_has_labels(d->p) && !is_rows(d) && d->label_width > slot(d) - 3;
}

/* Draws the keys of the series above the plot, or only measures them; returns their height. */
static double legend(struct drawing *d, bool draws)
{
	double x = d->left, y = LINE - 3;
	bool named = d->n_series > 1 || *d->series[0];
	size_t n = d->n_series + (d->p->shape == PLOT_BARS && has_undecided(d->p));
	for (size_t i = named ? 0 : d->n_series; i < n; i++) {
		const char *text = i < d->n_series ? d->series[i] : "undecided";
		double width = 15 + text_width(text) + 10;
		if (x > d->left && x + width > d->width) {
			x = d->left;
			y += LINE;
		}
		if (draws && d->p->shape == PLOT_BARS) {
			put_box(d, x, 9, y - 6, y + 1, "key",
			        i < d->n_series ? FILLS[i % ARRAY_LEN(FILLS)] : UNDECIDED);
		} else if (draws && is_curve(d)) {
			fprintf(d->to,
			        "<path d=\"M%.2f %.2fh12\" stroke=\"#000\" "
			        "stroke-dasharray=\"%s\"/>\n",
			        x, y - 2.5, DASHES[i % ARRAY_LEN(DASHES)]);
		} else if (draws) {
			put_sign(d, x + 5, y - 2.5, i);
		}
		if (draws) {
			put_text(d, x + 15, y, "start", "", text);
		}
		x += width;
	}
	return named || n > d->n_series ? y + 6 : 8;
}

static double widest_tick(const struct drawing *d)
{
	double at[SCALE_TICKS], most = 0;
	struct buf text = {0};
	for (size_t n = scale_ticks(&d->y, at); n > 0; n--) {
		buf_clear(&text);
		put_tick(&text, d->p->unit, at[n - 1]);
		most = fmax(most, text_width(buf_cstr(&text)));
	}
	buf_finish(&text);
	return most;
}

/* Sets sizes and scales. */
static void lay_out(struct drawing *d)
{
	const struct plot *p = d->p;
	read_scale(&d->y, d, false);
	read_scale(&d->x, d, true);
	d->width = plot_is_wide(p) ? TWO_COLUMNS : COLUMN;
	for (size_t i = 0; i < d->n_labels; i++) {
		d->label_width = fmax(d->label_width, text_width(d->labels[i]));
	}
	d->left = is_rows(d) ? d->label_width + 10 : widest_tick(d) + LINE + 8;
	d->right = d->width - 14;
	if (is_turned(d)) { /* the first label reaches to the left of its bar */
		double reach = text_width(d->labels[0]) * cos(TURN * M_PI / 180) - slot(d) / 2;
		d->left = fmax(d->left, reach);
	}
	d->top = legend(d, false);
	double area = is_rows(d)                ? ROW * (double)d->n_labels
	              : p->shape == PLOT_POINTS ? d->right - d->left
	                                        : AREA;
	double under = is_turned(d) ? 8 + d->label_width * sin(TURN * M_PI / 180) : LINE;
	d->bottom = d->top + area;
	d->height = d->bottom + under + (p->x_label || is_rows(d) ? LINE + 6 : 4);
	d->x.from = d->left;
	d->x.to = d->right;
	d->y.from = is_rows(d) ? d->left : d->bottom;
	d->y.to = is_rows(d) ? d->right : d->top;
}

static void draw_ticks(
        struct drawing *d, const struct scale *s, enum metric_unit unit, bool horizontal)
{
	double at[SCALE_TICKS];
	struct buf text = {0};
	for (size_t n = scale_ticks(s, at); n > 0; n--) {
		double where = scale_place(s, at[n - 1]);
		buf_clear(&text);
		put_tick(&text, unit, at[n - 1]);
		if (horizontal) {
			put_line(d, where, d->top, where, d->bottom, GRID);
			put_text(d, where, d->bottom + LINE, "middle", "class=\"tick x\"",
			        buf_cstr(&text));
		} else {
			put_line(d, d->left, where, d->right, where, GRID);
			put_text(d, d->left - 4, where + 2.8, "end", "class=\"tick y\"",
			        buf_cstr(&text));
		}
	}
	buf_finish(&text);
}

/* The place of the label with this number on its axis. */
static double middle_of(const struct drawing *d, size_t label)
{
	return (is_rows(d) ? d->top : d->left) + ((double)label + 0.5) * slot(d);
}

static void draw_labels(struct drawing *d)
{
	for (size_t i = 0; i < d->n_labels; i++) {
		double at = middle_of(d, i);
		if (is_rows(d)) {
			put_text(d, d->left - 5, at + 2.8, "end", "", d->labels[i]);
		} else if (is_turned(d)) {
			put_turned(d, at + 3, d->bottom + 9, "end", TURN, d->labels[i]);
		} else {
			put_text(d, at, d->bottom + LINE, "middle", "", d->labels[i]);
		}
	}
}

static void draw_axes(struct drawing *d)
{
	const struct plot *p = d->p;
	double middle = (d->left + d->right) / 2;
	draw_ticks(d, &d->y, p->unit, is_rows(d));
	if (plot_has_labels(d->p)) {
		draw_labels(d);
	} else {
		draw_ticks(d, &d->x, METRIC_NUMBER, true);
	}
	if (is_rows(d)) {
		put_text(d, middle, d->height - 4, "middle", "", p->y_label);
	} else {
		put_turned(d, 8, (d->top + d->bottom) / 2, "middle", 90, p->y_label);
		put_text(d, middle, d->height - 4, "middle", "", p->x_label ? p->x_label : "");
		put_line(d, d->left, scale_place(&d->y, 0), d->right, scale_place(&d->y, 0), AXIS);
	}
	double zero = is_rows(d)              ? scale_place(&d->y, 0)
	              : plot_has_labels(d->p) ? d->left
	                                      : scale_place(&d->x, 0);
	put_line(d, zero, d->top, zero, d->bottom, AXIS);
}

static void draw_guides(struct drawing *d)
{
	double at = scale_place(&d->y, d->p->guide);
	if (!isnan(at) && is_rows(d)) {
		put_line(d, at, d->top, at, d->bottom, GUIDE);
	} else if (!isnan(at)) {
		put_line(d, d->left, at, d->right, at, GUIDE);
	}
	if (d->p->diagonal) {
		double end = fmin(d->x.high, d->y.high);
		put_line(d, scale_place(&d->x, 0), scale_place(&d->y, 0), scale_place(&d->x, end),
		        scale_place(&d->y, end), GUIDE);
	}
}

/* cross: the place of the interval on the other axis. */
static void draw_interval(struct drawing *d, const struct scale *s, const struct metric_value *v,
        double cross, bool horizontal)
{
	double ends[] = {scale_place(s, v->low), scale_place(s, v->high)};
	if (isnan(ends[0]) || isnan(ends[1])) {
		return;
	}
	if (horizontal) {
		put_line(d, ends[0], cross, ends[1], cross, WHISKER);
	} else {
		put_line(d, cross, ends[0], cross, ends[1], WHISKER);
	}
	for (size_t i = 0; i < 2; i++) {
		double across = horizontal ? 0 : 1.8, along = horizontal ? 1.8 : 0;
		double x = horizontal ? ends[i] : cross, y = horizontal ? cross : ends[i];
		put_line(d, x - across, y - along, x + across, y + along, AXIS);
	}
}

static void draw_bar(
        struct drawing *d, const struct plot_point *point, double middle, size_t series)
{
	double width = fmin(18, 0.8 * slot(d) / (double)d->n_series);
	double x = middle + ((double)series - (double)d->n_series / 2) * width;
	double value = scale_place(&d->y, point->y.value), top = value;
	if (metric_is_open(&point->y)) {
		top = scale_place(&d->y, point->y.most);
		put_box(d, x, width, value, top, "undecided", UNDECIDED);
	}
	put_box(d, x, width, scale_place(&d->y, 0), value, "bar", FILLS[series % ARRAY_LEN(FILLS)]);
	draw_interval(d, &d->y, &point->y, x + width / 2, false);
	if (point->note) {
		double high = fmin(top, fmin(value, scale_place(&d->y, point->y.high)));
		put_text(d, x + width / 2, high - 2.5, "middle", "class=\"note\"", point->note);
	}
}

/* The distance between marks of one label, so that intervals do not hide each other. */
static double shift_of(const struct drawing *d, size_t series)
{
	return plot_has_labels(d->p) ? ((double)series - ((double)d->n_series - 1) / 2) * 5 : 0;
}

/* An open range has a sign at each end. */
static void draw_mark(
        struct drawing *d, const struct plot_point *point, size_t label, size_t series)
{
	double ends[] = {point->y.value, point->y.most};
	double cross = plot_has_labels(d->p) ? middle_of(d, label) + shift_of(d, series)
	                                     : scale_place(&d->x, point->x.value);
	draw_interval(d, &d->y, &point->y, cross, is_rows(d));
	if (!plot_has_labels(d->p)) {
		draw_interval(d, &d->x, &point->x, scale_place(&d->y, point->y.value), true);
	}
	for (size_t i = 0; i < (metric_is_open(&point->y) ? 2U : 1U); i++) {
		double at = scale_place(&d->y, ends[i]);
		put_sign(d, is_rows(d) ? at : cross, is_rows(d) ? cross : at, series);
	}
}

/* Writes the labels of points beside them, a line below a label that is there already. */
static void draw_names(struct drawing *d)
{
	double taken[PLOT_LABELS];
	for (size_t i = 0; i < MIN(d->p->n, (size_t)PLOT_LABELS); i++) {
		const struct plot_point *point = &d->p->points[i];
		double x = scale_place(&d->x, point->x.value),
		       y = scale_place(&d->y, point->y.value) - 4;
		bool fits = x + 5 + text_width(point->label) < d->width;
		for (size_t k = 0; k < i; k++) {
			y = fabs(y - taken[k]) < LINE - 2 ? taken[k] + LINE - 2 : y;
		}
		taken[i] = y;
		put_text(d, fits ? x + 5 : x - 5, y, fits ? "start" : "end", "", point->label);
	}
}

static size_t index_of(const char *text, const char *const list[], size_t n)
{
	size_t i = 0;
	while (i < n && strcmp(list[i], text) != 0) {
		i++;
	}
	return i;
}

static void draw_line(struct drawing *d, size_t series)
{
	bool any = false;
	double last = 0;
	fprintf(d->to,
	        "<path class=\"line\" fill=\"none\" stroke=\"#000\" stroke-width=\"0.9\" "
	        "stroke-dasharray=\"%s\" d=\"",
	        DASHES[series % ARRAY_LEN(DASHES)]);
	for (size_t i = 0; i < d->p->n; i++) {
		const struct plot_point *point = &d->p->points[i];
		size_t label = index_of(point->label, d->labels, d->n_labels);
		if (strcmp(point->series, d->series[series]) != 0 || label == d->n_labels) {
			continue;
		}
		double x = plot_has_labels(d->p) ? middle_of(d, label) + shift_of(d, series)
		                                 : scale_place(&d->x, point->x.value);
		double y = scale_place(&d->y, point->y.value);
		if (any && d->p->shape == PLOT_STEPS) {
			fprintf(d->to, "L%.2f %.2f", x, last);
		}
		fprintf(d->to, "%s%.2f %.2f", any ? "L" : "M", x, y);
		any = true;
		last = y;
	}
	fputs("\"/>\n", d->to);
}

static void draw_marks(struct drawing *d)
{
	for (size_t i = 0; i < d->p->n; i++) {
		const struct plot_point *point = &d->p->points[i];
		size_t label = index_of(point->label, d->labels, d->n_labels);
		size_t series = index_of(point->series, d->series, d->n_series);
		bool is_drawn =
		        (!plot_has_labels(d->p) || label < d->n_labels) && series < d->n_series;
		if (!is_drawn || (is_curve(d) && isnan(point->y.low))) {
			continue;
		}
		fputs("<g class=\"mark\">\n", d->to);
		if (d->p->shape == PLOT_BARS) {
			draw_bar(d, point, middle_of(d, label), series);
		} else {
			draw_mark(d, point, label, series);
		}
		fputs("</g>\n", d->to);
	}
}

void plot_svg(const struct plot *p, FILE *to)
{
	struct drawing d = {.p = p, .to = to};
	d.n_labels = plot_labels(p, d.labels, PLOT_LABELS);
	d.n_series = plot_series(p, d.series, PLOT_SERIES);
	lay_out(&d);
	fprintf(to,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0fpt\" height=\"%.0fpt\" "
	        "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
	        "font-size=\"8\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	        d.width, ceil(d.height), d.width, ceil(d.height));
	draw_axes(&d);
	draw_guides(&d);
	for (size_t i = 0; i < d.n_series && (is_curve(&d) || p->shape == PLOT_LINE); i++) {
		draw_line(&d, i);
	}
	draw_marks(&d);
	if (p->shape == PLOT_POINTS && d.n_labels > 1) {
		draw_names(&d);
	}
	(void)legend(&d, true);
	fputs("</svg>\n", to);
}
