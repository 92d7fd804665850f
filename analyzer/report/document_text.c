#include "analyzer/report/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/hints.h"
#include "analyzer/report/document_causes.h"
#include "analyzer/report/document_embedding.h"
#include "analyzer/report/document_forced.h"
#include "analyzer/report/document_gold.h"
#include "analyzer/report/document_kept.h"
#include "analyzer/report/document_opinions.h"
#include "analyzer/report/document_parts.h"
#include "analyzer/report/document_power.h"
#include "analyzer/report/document_sampled.h"
#include "analyzer/report/document_selection.h"
#include "analyzer/report/document_traffic.h"
#include "analyzer/report/document_verdict.h"
#include "analyzer/report/unjudged.h"
#include "base/mem.h"

#define WIDTH 98
#define EXAMPLE_LABEL 22
#define EXAMPLE_CELL 26
#define CAUSES_SHOWN 2

static const char *bold(const struct report_options *o)
{
	return o->colour ? "\033[1m" : "";
}

static const char *plain(const struct report_options *o)
{
	return o->colour ? "\033[0m" : "";
}

/* Breaks lines between words; those after the first are indented. Takes over text. */
static void print_wrapped(char *text, const char *first, const char *rest, FILE *to)
{
	size_t column = strlen(first);
	fputs(first, to);
	for (char *word = text; *word;) {
		size_t len = strcspn(word, " ");
		bool begins = word == text;
		if (!begins && column + 1 + len > WIDTH) {
			fprintf(to, "\n%s", rest);
			column = strlen(rest);
		} else if (!begins) {
			fputc(' ', to);
			column++;
		}
		fwrite(word, 1, len, to);
		column += len;
		word += len + strspn(word + len, " ");
	}
	fputc('\n', to);
	free(text);
}

/* Takes over text; NULL prints nothing. */
static void print_sentence(char *text, FILE *to)
{
	if (text) {
		print_wrapped(text, "", "", to);
	}
}

/* What an engine differs from itself is no verdict on it: one line, beside the trials. */
static void print_floor(const struct analysis_group *g, FILE *to)
{
	const struct figure_value *v = &g->values[DECODING_GREEDY][FIGURE_DIFFER];
	if (v->n > 0) {
		fprintf(to,
		        "Noise floor: %s differs from %s, which is the same engine, in %.1f %% of "
		        "%.0f answers.\n\n",
		        g->test, g->base, 100 * v->value, v->n);
	}
}

/* The sentence that matters. */
static void print_verdict(const struct analysis_group *g, const struct report_options *o, FILE *to)
{
	const struct metrics *m = &g->by[DECODING_GREEDY];
	fputs(bold(o), to);
	print_wrapped(report_sentence(g), "", "", to);
	fputs(plain(o), to);
	if (m->pairs == 0) {
		char *reason = unjudged_reason(g);
		bool chance = g->legs > left_out_total(&g->left_out);
		print_wrapped(xasprintf("%s against %s. There is no verdict: %s%s.", g->test,
		                      g->base, reason,
		                      chance ? "; where chance has a part, differing texts prove "
		                               "nothing"
		                             : ""),
		        "", "", to);
		free(reason);
		return;
	}
	print_wrapped(xasprintf("%s against %s: %" PRIu64 " of %" PRIu64
	                        " answers differ, all decoded greedily (temperature 0).",
	                      g->test, g->base, m->pairs - m->equal, m->pairs),
	        "", "", to);
	print_sentence(report_change_sentence(g), to);
	print_sentence(report_gold_sentence(g), to);
	for (size_t k = 0; k < g->opinions.n; k++) {
		print_sentence(report_opinions_sentence(&g->opinions.judges[k]), to);
	}
	print_sentence(report_floor_sentence(g), to);
	print_sentence(report_power_sentence(g), to);
	print_sentence(report_first_sentence(g), to);
	print_sentence(report_slice_sentence(g), to);
	print_sentence(report_short_slices_sentence(g), to);
}

/* Of the answers that are not in the headline. */
static void print_rest(const struct analysis_group *g, FILE *to)
{
	uint64_t others = 0, out = left_out_total(&g->left_out);
	for (size_t d = 0; d < N_DECODINGS; d++) {
		others += d == DECODING_GREEDY ? 0 : g->by[d].pairs;
	}
	if (others > 0) {
		fprintf(to, "Not judged: %" PRIu64 " answers that were not greedy on both sides.\n",
		        others);
	}
	print_sentence(report_sampled_sentence(g), to);
	if (out > 0) {
		fprintf(to, "Left out: %" PRIu64 " of %" PRIu64 " pairs, for the reasons below.\n",
		        out, g->legs);
	}
}

static uint64_t between(const struct histogram *h, uint64_t from, uint64_t to)
{
	struct histogram_bin bin = {0};
	uint64_t n = 0;
	while (histogram_next(h, &bin)) {
		n += bin.low >= from && bin.low < to ? bin.n : 0;
	}
	return n;
}

static void print_partings(const struct analysis_group *g, FILE *to)
{
	static const struct {
		uint64_t from, to;
		const char *name;
	} RANGES[] = {{0, 1, "1"}, {1, 4, "2-4"}, {4, 16, "5-16"}, {16, 64, "17-64"},
	        {64, 256, "65-256"}, {256, UINT64_MAX, "later"}};
	const struct metrics *m = &g->by[DECODING_GREEDY];
	bool tokens = m->first_token.n > 0;
	const struct histogram *s = tokens ? &m->first_token : &m->first_byte;
	if (s->n == 0) {
		return;
	}
	const char *unit = tokens ? "token" : "byte";
	fprintf(to,
	        "\nThe first differing %s, in %" PRIu64 " answers, is half of the time by %" PRIu64
	        ":\n",
	        unit, s->n, histogram_quantile(s, 0.5) + 1);
	fprintf(to, "  %s", unit);
	for (size_t i = 0; i < ARRAY_LEN(RANGES); i++) {
		fprintf(to, "%10s", RANGES[i].name);
	}
	fprintf(to, "\n  %-*s", (int)strlen(unit), tokens ? "parts" : "n");
	for (size_t i = 0; i < ARRAY_LEN(RANGES); i++) {
		fprintf(to, "%10" PRIu64, between(s, RANGES[i].from, RANGES[i].to));
	}
	fputc('\n', to);
}

/* Pads by characters; wide ones and those that join others are few. */
static void print_padded(const char *text, size_t width, FILE *to)
{
	size_t n = 0;
	for (const char *p = text; *p; p++) {
		n += ((unsigned char)*p & 0xc0) != 0x80;
	}
	fputs(text, to);
	for (; n < width; n++) {
		fputc(' ', to);
	}
}

/* Of a token that the side chose or has in its list, or not. */
static char *probability(float lp, bool has, bool chosen)
{
	if (isnan(lp)) {
		return xasprintf(
		        "%s%s", has ? "no valid logprob" : "not in its list", chosen ? " *" : "");
	}
	return xasprintf("%.*f %% (%.3f)%s", lp > -4 ? 1 : 3, 100 * exp((double)lp), (double)lp,
	        chosen ? " *" : "");
}

/* One line of the small table: a name and two cells, which are taken over. */
static void print_cells(const char *name, char *base_token, char *test_token, FILE *to)
{
	char label[EXAMPLE_LABEL + 1];
	snprintf(label, sizeof(label), "%s", name);
	fputs("  ", to);
	print_padded(label, EXAMPLE_LABEL, to);
	fputc(' ', to);
	print_padded(base_token, EXAMPLE_CELL, to);
	fprintf(to, " %s\n", test_token);
	free(base_token);
	free(test_token);
}

/* How probable each side held what both chose. */
static void print_choices(const struct example *e, const struct analysis_group *g, FILE *to)
{
	const struct example_side *b = &e->base, *t = &e->test;
	print_cells("probability (its log)", xasprintf("\"%s\"", b->token),
	        xasprintf("\"%s\"", t->token), to);
	print_cells(g->base, probability(b->logprob, true, true),
	        probability(b->of_other, b->has_other, false), to);
	print_cells(g->test, probability(t->of_other, t->has_other, false),
	        probability(t->logprob, true, true), to);
	fputs("  * chosen", to);
	if (t->not_best && strcmp(t->best, b->token) != 0) {
		fprintf(to, "; %s itself held \"%s\" most probable", g->test, t->best);
	}
	fputc('\n', to);
}

static void print_example(
        const struct example *e, const char *what, const struct analysis_group *g, FILE *to)
{
	char id[ID_SHORT_SIZE];
	if (!e->known) {
		return;
	}
	fprintf(to, "\n%s: exchange %s, %s %" PRIu32 "\n", what, id_format_short(e->exchange, id),
	        e->has_tokens ? "token" : "byte", e->position + 1);
	if (e->has_tokens) {
		print_choices(e, g, to);
	}
	if (e->before[0]) {
		fprintf(to, "  %-*.*s |%s\n", EXAMPLE_LABEL, EXAMPLE_LABEL, "both", e->before);
	}
	fprintf(to, "  %-*.*s |%s\n", EXAMPLE_LABEL, EXAMPLE_LABEL, g->base, e->base.text);
	fprintf(to, "  %-*.*s |%s\n", EXAMPLE_LABEL, EXAMPLE_LABEL, g->test, e->test.text);
}

static void print_hints(const struct analysis_group *g, const struct report_options *o, FILE *to)
{
	struct hint hints[HINTS_LIMIT];
	size_t n = hints_find(g, hints);
	if (n > 0) {
		fprintf(to, "\n%sWhat the figures lack%s\n", bold(o), plain(o));
	}
	for (size_t i = 0; i < n; i++) {
		print_wrapped(xstrdup(hints[i].text), "  * ", "    ", to);
	}
	hints_finish(hints, n);
}

/* "A repetition penalty (prod), 83 % of what differs, p < 0.0001: ..." */
static char *cause_paragraph(const struct cause *c, const struct analysis_group *g)
{
	struct buf text = {0};
	buf_append_str(&text, cause_title(c->kind));
	if (c->side == CAUSE_OF_TEST || c->side == CAUSE_OF_BASE) {
		buf_printf(&text, " (%s)", c->side == CAUSE_OF_TEST ? g->test : g->base);
	}
	if (c->n > 0) {
		buf_printf(&text, ", %.0f %% of what differs", 100 * (double)c->n / (double)c->of);
	}
	if (c->p < 1e-4) {
		buf_append_str(&text, ", p < 0.0001");
	} else if (!isnan(c->p)) {
		buf_printf(&text, ", p %.2g", c->p);
	}
	buf_printf(&text, ": %s", c->text);
	return buf_steal(&text);
}

/* The causes that explain most, the others by name. */
static void print_causes(const struct analysis_group *g, const struct report_options *o, FILE *to)
{
	struct buf others = {0};
	if (g->found.n > 0) {
		fprintf(to, "\n%sWhat is behind it%s\n", bold(o), plain(o));
	}
	for (size_t i = 0; i < g->found.n; i++) {
		const struct cause *c = &g->found.items[i];
		if (i >= CAUSES_SHOWN) {
			buf_printf(&others, "%s%s",
			        others.len ? "; " : "also: ", cause_title(c->kind));
			continue;
		}
		print_wrapped(cause_paragraph(c, g), "  * ", "    ", to);
		if (i == 0) {
			print_wrapped(xasprintf("Try: %s.", c->fix), "    ", "    ", to);
			fprintf(to, c->confirm ? "    To confirm: %s\n" : "%s",
			        c->confirm ? c->confirm : "");
		}
	}
	if (others.len > 0) {
		print_wrapped(buf_steal(&others), "  * ", "    ", to);
	}
	buf_finish(&others);
}

/* One that shows a side's choice against itself, or else the widest parting. */
static void print_examples(const struct analysis_group *g, FILE *to)
{
	const struct examples *e = &g->examples;
	const struct evidence *v = &g->evidence;
	bool test = evidence_not_top_counts(v->test_not_top, v->test_greedy_tokens);
	bool base = evidence_not_top_counts(v->base_not_top, v->base_greedy_tokens);
	if (test) {
		print_example(&e->test_not_best, "Chosen against its own list", g, to);
	} else if (base) {
		print_example(&e->base_not_best, "Chosen against its own list", g, to);
	}
	const struct example *shown = test ? &e->test_not_best : &e->base_not_best;
	bool same = (test || base) && shown->known &&
	            id_compare(shown->exchange, e->widest.exchange) == 0;
	if (!same) {
		print_example(&e->widest,
		        e->widest.has_tokens ? "The widest parting" : "The earliest parting", g,
		        to);
	}
}

static void print_cut(const char *name, const uint64_t counts[N_OUTCOMES], FILE *to)
{
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		if (counts[i] > 0) {
			fprintf(to, "  %" PRIu64 " where %s ended as %s\n", counts[i], name,
			        i ? outcome_name((enum outcome)i) : "unknown");
		}
	}
}

static void print_count(uint64_t n, const char *what, const char *name, FILE *to)
{
	if (n > 0) {
		fprintf(to, "  %" PRIu64 " %s%s\n", n, what, name);
	}
}

static void print_why(const char *name, const struct name_counts *why, FILE *to)
{
	for (size_t i = 0; i < why->n; i++) {
		fprintf(to, "  %" PRIu64 " %s: %s\n", why->items[i].n, name, why->items[i].name);
	}
}

static void print_unread(const struct left_out *l, FILE *to)
{
	const struct name_counts *why = &l->unread_members;
	if (l->unread == 0) {
		return;
	}
	fprintf(to, "  %" PRIu64 " with content that plumbline does not read:", l->unread);
	for (size_t i = 0; i < why->n; i++) {
		fprintf(to, "%s %s (%" PRIu64 ")", i ? "," : "", why->items[i].name,
		        why->items[i].n);
	}
	fputc('\n', to);
}

static void print_left_out(const struct analysis_group *g, FILE *to)
{
	const struct left_out *l = &g->left_out;
	if (left_out_total(l) == 0 && l->unlike_choices == 0) {
		return;
	}
	fputs("\nLeft out of all figures\n", to);
	print_cut(g->base, l->base_cut, to);
	print_cut(g->test, l->test_cut, to);
	print_why(g->base, &l->base_why, to);
	print_why(g->test, &l->test_why, to);
	print_unread(l, to);
	print_count(l->metadata, "of which no text is kept", "", to);
	print_count(l->unlike_choices, "choices that only one side has", "", to);
}

static void print_group(const struct analysis_group *g, const struct report_options *o, FILE *to)
{
	print_verdict(g, o, to);
	print_rest(g, to);
	print_causes(g, o, to);
	print_examples(g, to);
	print_partings(g, to);
	report_table(g, to);
	report_gold_table(g, to);
	report_embedding_text(&g->embeddings, to);
	print_hints(g, o, to);
	print_left_out(g, to);
	report_kept_text(g, to);
	fputc('\n', to);
}

static void print_capture(const struct analysis *a, FILE *to)
{
	fprintf(to, "%" PRIu64 " exchanges in %zu segment%s", a->counts.chosen, a->figures.segments,
	        a->figures.segments == 1 ? "" : "s");
	if (a->counts.not_understood > 0) {
		fprintf(to, "; %" PRIu64 " of endpoints that are not known",
		        a->counts.not_understood);
	}
	if (a->counts.not_read > 0) {
		fprintf(to, "; %" PRIu64 " kept as bytes and not read", a->counts.not_read);
	}
	if (a->counts.unpaired > 0) {
		fprintf(to, "; %" PRIu64 " with nothing to compare", a->counts.unpaired);
	}
	if (a->counts.absent > 0) {
		fprintf(to, "; %" PRIu64 " known from their legs alone", a->counts.absent);
	}
	if (a->figures.damaged_rows > 0) {
		fprintf(to, "; %" PRIu64 " damaged rows skipped", a->figures.damaged_rows);
	}
	if (a->ungrouped > 0) {
		fprintf(to, "; %" PRIu64 " pairs of too many backends", a->ungrouped);
	}
	fputs(".\n", to);
}

/* A figure over two stacks is of neither. */
static void print_stacks(const struct analysis *a, const struct advice_place *place, FILE *to)
{
	for (size_t i = 0; i < a->slices.n_stacks; i++) {
		const struct slice_stacks *s = &a->slices.stacks[i];
		if (s->n < 2) {
			continue;
		}
		fprintf(to, "The stack of %s changed within this capture (%zu stacks)", s->backend,
		        s->n);
		if (a->slices.by == SLICE_NONE) {
			char *command = advice_stacks(place);
			fprintf(to, command ? ". What changed, and each by itself: %s\n" : ".%s\n",
			        command ? command : "");
			free(command);
		} else {
			fputs(".\n", to);
		}
	}
}

/* The command that shows the exchange of the first example; NULL: there is none. */
static char *show_example(const struct analysis *a, const struct advice_place *place)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		if (a->groups[i].examples.widest.known) {
			return advice_show(place, a->groups[i].examples.widest.exchange);
		}
	}
	return NULL;
}

void report_text(const struct analysis *a, const struct report_options *options, FILE *to)
{
	bool trials = analysis_has_trials(a);
	for (size_t i = 0; i < a->n_groups; i++) {
		if (!trials || !a->groups[i].is_floor) {
			print_group(&a->groups[i], options, to);
		}
	}
	for (size_t i = 0; i < a->n_groups; i++) {
		if (trials && a->groups[i].is_floor) {
			print_floor(&a->groups[i], to);
		}
	}
	report_forced(&a->forced, options, to);
	report_traffic_text(&a->traffic, to);
	print_capture(a, to);
	report_selection_text(a, to);
	print_stacks(a, options->place, to);
	for (size_t i = 0; i < options->n_problems; i++) {
		fprintf(to, "problem: %s\n", options->problems[i]);
	}
	char *show = show_example(a, options->place);
	if (show) {
		fprintf(to, "See both answers: %s\n", show);
	}
	free(show);
	if (options->place && a->n_groups > 0) {
		fputs("All figures, with intervals: --json. What each means: docs/analyze.md\n",
		        to);
	}
}
