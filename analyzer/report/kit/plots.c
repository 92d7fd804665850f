#include "analyzer/report/kit/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/kit/plots_parts.h"
#include "analyzer/report/node.h"
#include "analyzer/report/standings.h"
#include "analyzer/report/sweep_cliff.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"

#define SUITES_SHOWN 32
#define NAME_LIMIT 48 /* bytes of a file's name */

static bool has_name(const struct plots *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->items[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* The name of the files: what, and those characters of the other text that fit a file's name. */
static char *name_of(const struct plots *all, const char *what, const char *of)
{
	struct buf name = {0};
	buf_printf(&name, "%s%s", what, *of ? "-" : "");
	for (; *of && name.len < NAME_LIMIT; of++) {
		bool fits = is_digit(*of) || is_lower(to_lower(*of)) || *of == '_';
		buf_append_char(&name, fits ? to_lower(*of) : '-');
	}
	size_t len = name.len;
	for (size_t i = 2; has_name(all, buf_cstr(&name)); i++) {
		name.len = len;
		buf_printf(&name, "-%zu", i);
	}
	return buf_steal(&name);
}

struct plot *plots_begin(struct plots *all, enum plot_shape shape, const char *what, const char *of,
        enum metric_unit unit, char *x_label, char *y_label)
{
	char *name = name_of(all, what, of);
	all->items = xrealloc(all->items, (all->n + 1) * sizeof(*all->items));
	struct plot *p = &all->items[all->n++];
	*p = (struct plot){.shape = shape,
	        .name = name,
	        .unit = unit,
	        .x_label = x_label,
	        .y_label = y_label,
	        .guide = NAN};
	return p;
}

struct metric_value plots_number(double value)
{
	return (struct metric_value){
	        .value = value, .low = NAN, .high = NAN, .n = NAN, .clusters = NAN};
}

void plots_add(struct plot *p, const char *label, const char *series, struct metric_value y)
{
	plot_add(p, label, series, plots_number(NAN), y);
}

void plots_add_node(
        struct plot *p, const char *label, const char *series, const json_t *o, const char *name)
{
	struct metric_value v;
	if (metric_read_member(o, name, &v)) {
		plots_add(p, label, series, v);
	}
}

void plots_extend_caption(struct plot *p, const char *more)
{
	char *text = xasprintf("%s%s", p->caption, more);
	free(p->caption);
	p->caption = text;
}

char *plots_pair_name(const json_t *group, const struct groups *groups)
{
	const char *base = node_text(group, "base"), *test = node_text(group, "test");
	for (size_t i = 0; i < groups->n; i++) {
		if (!node_is(groups->items[i], "base", base)) {
			return xasprintf("%s vs %s", test, base);
		}
	}
	return xstrdup(test);
}

/* Targets compared with a base. */
struct compared {
	json_t *rows; /* as standings have them */
	const char *base;
};

/* Rows of the document's standings, else of each pair of backends. */
static void read_compared(const json_t *document, const struct groups *groups, struct compared *ret)
{
	const json_t *standings = json_object_get(document, "standings");
	json_t *known = json_object_get(standings, "rows");
	if (json_is_array(known)) {
		*ret = (struct compared){json_incref(known), node_text(standings, "base")};
		return;
	}
	*ret = (struct compared){json_array(), "the base"};
	for (size_t i = 0; i < groups->n; i++) {
		json_t *row = standings_row(document, groups->items[i]);
		const char *base = node_text(groups->items[i], "base");
		char *name = plots_pair_name(groups->items[i], groups);
		if (groups_is_floor(groups->items[i])) {
			json_object_set_new(row, "floor", json_null());
		}
		node_set_text(row, "target", name);
		json_array_append_new(ret->rows, row);
		ret->base = i == 0 || strcmp(ret->base, base) == 0 ? base : "its base";
		free(name);
	}
}

static char *caption_of(const struct standings_figure *f, const char *suite, const char *base)
{
	char *text = xasprintf("%s (%s), of each target compared with %s%s%s%s%s." INTERVALS,
	        f->title, f->note, base, *suite ? ", suite " : "", suite,
	        f->of_paper ? "; the paper's " : "", f->of_paper ? f->of_paper : "");
	text[0] -= is_lower(text[0]) ? 'a' - 'A' : 0;
	return text;
}

static bool is_divergence(const struct standings_figure *f)
{
	return strcmp(f->name, "divergence_index") == 0;
}

/* A bar for each target, and one for the target compared with itself. */
static void read_figure(
        struct plots *all, const struct compared *c, const struct standings_figure *f)
{
	struct plot *p = plots_begin(
	        all, PLOT_BARS, f->name, "", metric_unit_of(f->name), NULL, xstrdup(f->title));
	p->table = "targets";
	p->title = xstrdup(f->title);
	p->caption = caption_of(f, "", c->base);
	if (is_divergence(f)) {
		plots_extend_caption(
		        p, " Numbers above bars: mean number of the first token that differs.");
	}
	NODE_EACH(row, c->rows) {
		const char *target = node_text(row, "target");
		size_t n = p->n;
		plots_add_node(
		        p, target, "compared with base", json_object_get(row, "figures"), f->name);
		if (is_divergence(f) && p->n > n) {
			/* Above the bar, as in the paper. */
			double mean =
			        node_number(json_object_get(row, "first_differing_token"), "mean");
			p->points[n].note = isnan(mean) ? NULL : xasprintf("%.1f", mean);
		}
		plots_add_node(p, target, "with itself", json_object_get(row, "floor"), f->name);
	}
}

/* The paper's Figure 4. */
static void read_lengths(struct plots *all, const struct compared *c)
{
	struct plot *p = plots_begin(all, PLOT_POINTS, "length", "", METRIC_NUMBER,
	        xstrdup("length bias, tokens"), xstrdup("length magnitude, tokens"));
	p->caption = xasprintf("Length of the answers of each target compared with %s: mean change "
	                       "in tokens (bias) and mean size of the change (magnitude), as in "
	                       "the paper's Figure 4." INTERVALS,
	        c->base);
	NODE_EACH(row, c->rows) {
		const json_t *figures = json_object_get(row, "figures");
		struct metric_value x, y;
		if (metric_read_member(figures, "length_bias", &x) &&
		        metric_read_member(figures, "length_magnitude", &y)) {
			plot_add(p, node_text(row, "target"), "", x, y);
		}
	}
}

static struct plot *plot_of_suite(struct plots *all, const char *suite)
{
	for (size_t i = 0; i < all->n; i++) {
		struct plot *p = &all->items[i];
		if (p->table && strcmp(p->table, "suites") == 0 && strcmp(p->title, suite) == 0) {
			return p;
		}
	}
	return NULL;
}

/* The paper's Figures 5 to 8: one for each suite. */
static void read_suites(
        struct plots *all, const struct compared *c, const struct standings_figure *f)
{
	size_t first = all->n;
	NODE_EACH(row, c->rows) {
		NODE_EACH(each, json_object_get(row, "suites")) {
			const char *suite = node_text(each, "suite");
			struct plot *p = plot_of_suite(all, suite);
			if (!p && all->n - first < SUITES_SHOWN) {
				p = plots_begin(all, PLOT_BARS, f->name, suite, METRIC_NUMBER, NULL,
				        xstrdup(f->title));
				p->table = "suites";
				p->title = xstrdup(suite);
				p->caption = caption_of(f, suite, c->base);
			}
			if (p) {
				plots_add_node(p, node_text(row, "target"), "", each, f->name);
			}
		}
	}
}

static void read_targets(struct plots *all, const struct compared *c)
{
	size_t n;
	const struct standings_figure *figures = standings_figures(&n), *divergence = NULL;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(figures[i].name, "length_", 7) != 0) {
			read_figure(all, c, &figures[i]);
		}
		divergence = is_divergence(&figures[i]) ? &figures[i] : divergence;
	}
	read_lengths(all, c);
	read_suites(all, c, divergence);
}

/* The share of changed answers over the precisions of a sweep. */
static void read_sweep(struct plots *all, const json_t *document, const struct compared *c)
{
	const json_t *standings = json_object_get(document, "standings");
	struct buf caption = {0};
	if (!node_flag(standings, "is_sweep")) {
		return;
	}
	struct plot *p = plots_begin(all, PLOT_LINE, "sweep", "", METRIC_SHARE, NULL,
	        xstrdup("answers whose meaning changed"));
	NODE_EACH(row, c->rows) {
		plots_add_node(p, node_text(row, "target"), "", json_object_get(row, "figures"),
		        "answer_changed");
	}
	buf_printf(&caption,
	        "Share of answers whose meaning changed compared with %s, by precision. Where "
	        "there are two marks, the share is between them: some answers are "
	        "undecided." INTERVALS " ",
	        c->base);
	sweep_cliff_put(&caption, standings);
	p->caption = buf_steal(&caption);
}

static void read_load(struct plots *all, const json_t *document)
{
	struct plot *p = plots_begin(all, PLOT_LINE, "load", "", METRIC_SHARE,
	        xstrdup("requests in progress"), xstrdup("answers that differ"));
	p->table = "load";
	p->caption = xasprintf(
	        "Share of answers that differ from the first answer to the same request alone, by "
	        "the number of requests in progress. The lowest level is the noise "
	        "floor." INTERVALS);
	NODE_EACH(level, node_at(document, "stress.levels")) {
		const json_t *o = json_object_get(level, "differing");
		struct metric_value v = plots_number(node_number(o, "hits") / node_number(o, "n"));
		char *label = xasprintf("%.0f", node_number(level, "concurrency"));
		v.n = node_number(o, "n");
		v.low = node_number(o, "low");
		v.high = node_number(o, "high");
		plots_add(p, label, "", v);
		free(label);
	}
}

static void read_reruns(struct plots *all, const json_t *document)
{
	static const char *const FIGURES[][3] = {{"all_alike", "prompts always alike", "prompts"},
	        {"determinism_score", "answers as the most common", "answers"},
	        {"output_consistency", "pairs that agree", "answers"}};
	const json_t *reruns = json_object_get(document, "reruns");
	struct plot *p = plots_begin(all, PLOT_LINE, "determinism", "", METRIC_SHARE,
	        xstrdup("requests in progress"), xstrdup("share"));
	p->table = "determinism";
	p->caption = xasprintf("How often %s gives the same answer to the same prompt, by the "
	                       "number of requests in progress." INTERVALS,
	        node_text(reruns, "backend"));
	NODE_EACH(level, json_object_get(reruns, "levels")) {
		double load = node_number(level, "concurrency");
		char *label = isnan(load) ? xstrdup("default") : xasprintf("%.0f", load);
		for (size_t f = 0; f < ARRAY_LEN(FIGURES); f++) {
			struct metric_value v;
			if (metric_read_member(level, FIGURES[f][0], &v)) {
				v.n = node_number(level, FIGURES[f][2]);
				plots_add(p, label, FIGURES[f][1], v);
			}
		}
		free(label);
	}
}

static void read_effects(struct plots *all, const json_t *document)
{
	const json_t *ablation = json_object_get(document, "ablation");
	struct plot *p = plots_begin(
	        all, PLOT_ROWS, "effects", "", METRIC_SHARE, NULL, xstrdup("answers that change"));
	p->table = "effects";
	p->caption = xasprintf("Effect of each switch: the share of pairs that differ if one "
	                       "answer has the switch off and the other on, minus the noise "
	                       "floors." INTERVALS);
	NODE_EACH(effect, json_object_get(ablation, "effects")) {
		const char *given = node_text(effect, "given");
		struct metric_value v;
		char *label = xasprintf(
		        "%s%s%s", node_text(effect, "factor"), *given ? ", more with " : "", given);
		if (metric_read_member(effect, "flip", &v)) {
			v.n = node_number(ablation, "prompts");
			plots_add(p, label, "", v);
		}
		free(label);
	}
}

void plots_read(const json_t *document, struct plots *ret)
{
	struct plots all = {0};
	struct compared compared;
	struct groups groups;
	groups_read(document, &groups);
	read_compared(document, &groups, &compared);
	read_targets(&all, &compared);
	read_sweep(&all, document, &compared);
	read_load(&all, document);
	read_reruns(&all, document);
	read_effects(&all, document);
	plots_read_pairs(&all, &groups);
	plots_read_draws(&all, document);
	json_decref(compared.rows);
	*ret = (struct plots){.items = all.items};
	for (size_t i = 0; i < all.n; i++) { /* keep those with data */
		if (all.items[i].n > 0) {
			ret->items[ret->n++] = all.items[i];
		} else {
			plot_finish(&all.items[i]);
		}
	}
}

void plots_finish(struct plots *all)
{
	for (size_t i = 0; i < all->n; i++) {
		plot_finish(&all->items[i]);
	}
	free(all->items);
}
