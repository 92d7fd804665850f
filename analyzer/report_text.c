#include "analyzer/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/hints.h"

#define LABEL_WIDTH 34
#define CELL_WIDTH 30
#define CELL_SIZE 96

typedef void (*cell_fn)(const struct metrics *m, char *to);

/* A row of the table; it is left out when no split has the figure. */
struct row {
	const char *label;
	cell_fn cell; /* writes at most CELL_SIZE bytes; an empty cell: the split does not have it
	               */
};

static void PRINTF(2, 3) put(char *to, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(to, CELL_SIZE, format, args);
	va_end(args);
}

static void put_rate(char *to, uint64_t hits, uint64_t n)
{
	if (n == 0) {
		return;
	}
	struct interval i = stats_wilson(hits, n);
	put(to, "%" PRIu64 " = %.1f %% [%.1f, %.1f]", hits, 100.0 * (double)hits / (double)n,
	        100 * i.low, 100 * i.high);
}

static void put_agreement(char *to, uint64_t hits, uint64_t n)
{
	if (n == 0) {
		return;
	}
	struct interval i = stats_wilson(hits, n);
	put(to, "%.2f %% [%.2f, %.2f]", 100.0 * (double)hits / (double)n, 100 * i.low,
	        100 * i.high);
}

static void put_spread(char *to, const struct spread *s)
{
	if (s->n > 0) {
		put(to, "%.0f (mean %.1f, n %" PRIu64 ")", spread_quantile(s, 0.5), spread_mean(s),
		        s->n);
	}
}

static void put_lengths(char *to, const struct lengths *l)
{
	if (l->n > 0) {
		put(to, "%+.1f, %.1f", l->bias / (double)l->n, l->magnitude / (double)l->n);
	}
}

static void cell_pairs(const struct metrics *m, char *to)
{
	put(to, "%" PRIu64, m->pairs);
}

static void cell_differ(const struct metrics *m, char *to)
{
	put_rate(to, m->pairs - m->equal, m->pairs);
}

static void cell_text(const struct metrics *m, char *to)
{
	put_rate(to, m->pairs - m->text_equal, m->pairs);
}

static void cell_calls(const struct metrics *m, char *to)
{
	put_rate(to, m->with_calls - m->calls_equal, m->with_calls);
}

static void cell_reasoning(const struct metrics *m, char *to)
{
	put_rate(to, m->with_reasoning - m->reasoning_equal, m->with_reasoning);
}

static void cell_first_byte(const struct metrics *m, char *to)
{
	put_spread(to, &m->first_byte);
}

static void cell_first_token(const struct metrics *m, char *to)
{
	put_spread(to, &m->first_token);
}

static void cell_index(const struct metrics *m, char *to)
{
	if (m->divergence_index.n > 0) {
		put(to, "%.3f (n %" PRIu64 ")", moments_mean(&m->divergence_index),
		        m->divergence_index.n);
	}
}

static void cell_hazard(const struct metrics *m, char *to)
{
	if (m->at_risk > 0) {
		struct interval i = stats_poisson(m->diverged);
		double scale = 1000.0 / (double)m->at_risk;
		put(to, "%.2f [%.2f, %.2f]", (double)m->diverged * scale, i.low * scale,
		        i.high * scale);
	}
}

static void cell_bytes(const struct metrics *m, char *to)
{
	put_lengths(to, &m->bytes);
}

static void cell_tokens(const struct metrics *m, char *to)
{
	put_lengths(to, &m->tokens);
}

static void cell_reasoning_bytes(const struct metrics *m, char *to)
{
	put_lengths(to, &m->reasoning_bytes);
}

static void cell_finish(const struct metrics *m, char *to)
{
	put_agreement(to, m->finish_equal, m->with_finish);
}

static void cell_positions(const struct metrics *m, char *to)
{
	if (m->with_tokens > 0) {
		put(to, "%" PRIu64 " of %" PRIu64 " answers", m->at_risk, m->with_tokens);
	}
}

static void cell_top1(const struct metrics *m, char *to)
{
	put_agreement(to, m->top1_equal, m->with_top1);
}

static void cell_top1_logprob(const struct metrics *m, char *to)
{
	if (m->top1_logprob.n > 0) {
		put(to, "%.5f (n %" PRIu64 ")", moments_rms(&m->top1_logprob), m->top1_logprob.n);
	}
}

static void cell_jaccard(const struct metrics *m, char *to)
{
	if (m->jaccard.n > 0) {
		put(to, "%.4f (n %" PRIu64 ")", moments_mean(&m->jaccard), m->jaccard.n);
	}
}

static void cell_chosen(const struct metrics *m, char *to)
{
	if (m->chosen_logprob.n > 0) {
		put(to, "%+.5f, %.5f (n %" PRIu64 ")", moments_mean(&m->chosen_logprob),
		        moments_rms(&m->chosen_logprob), m->chosen_logprob.n);
	}
}

static const struct row ROWS[] = {
        {"answers compared", cell_pairs},
        {"answers that differ", cell_differ},
        {"  in their text", cell_text},
        {"  in their tool calls", cell_calls},
        {"reasoning that differs", cell_reasoning},
        {"first differing byte, median", cell_first_byte},
        {"first differing token, median", cell_first_token},
        {"divergence index (1: never)", cell_index},
        {"partings per 1,000 positions", cell_hazard},
        {"length in bytes: bias, magnitude", cell_bytes},
        {"length in tokens: bias, magnitude", cell_tokens},
        {"reasoning bytes: bias, magnitude", cell_reasoning_bytes},
        {"finish reasons agree", cell_finish},
        {"comparable positions", cell_positions},
        {"top-1 agreement", cell_top1},
        {"top-1 logprob RMSE", cell_top1_logprob},
        {"top-5 Jaccard", cell_jaccard},
        {"logprob difference: mean, RMS", cell_chosen},
};

/* A label and cells; nothing is padded at the end of the line. */
static void print_line(const char *label, const char *const *cells, size_t n, FILE *to)
{
	fprintf(to, "  %-*s", LABEL_WIDTH, label);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "  %-*s", i + 1 < n ? CELL_WIDTH : 0, cells[i]);
	}
	fputc('\n', to);
}

static void print_row(const struct row *row, const struct analysis_group *g, FILE *to)
{
	char cells[N_DECODINGS][CELL_SIZE] = {0};
	bool any = false;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].pairs > 0) {
			row->cell(&g->by[d], cells[d]);
			any |= cells[d][0] != '\0';
		}
	}
	if (!any) {
		return;
	}
	const char *line[N_DECODINGS];
	size_t n = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].pairs > 0) {
			line[n++] = cells[d][0] ? cells[d] : "-";
		}
	}
	print_line(row->label, line, n, to);
}

static void print_table(const struct analysis_group *g, FILE *to)
{
	const char *names[N_DECODINGS];
	size_t n = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].pairs > 0) {
			names[n++] = decoding_name((enum decoding)d);
		}
	}
	if (n == 0) {
		return;
	}
	fputc('\n', to);
	print_line("", names, n, to);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		print_row(&ROWS[i], g, to);
	}
}

/* Roles say which side is on trial; where neither is trusted, nobody is. */
static const char *role_clause(const struct analysis_group *g)
{
	bool on_trial = (g->base_role == ROLE_REFERENCE && g->test_role != ROLE_REFERENCE) ||
	                (g->base_role == ROLE_PRIMARY && g->test_role == ROLE_CANDIDATE);
	return on_trial ? "on trial against" : "held against";
}

/* The sentence that matters. */
static void print_verdict(const struct analysis_group *g, FILE *to)
{
	const struct metrics *m = &g->by[DECODING_GREEDY];
	fprintf(to, "%s, %s %s: ", g->test, role_clause(g), g->base);
	if (m->pairs == 0) {
		fputs("no answers were decoded greedily on both sides, so differing texts prove "
		      "nothing.\n",
		        to);
		return;
	}
	uint64_t differ = m->pairs - m->equal;
	struct interval i = stats_wilson(differ, m->pairs);
	fprintf(to, "%" PRIu64 " of %" PRIu64 " greedy answers differ, %.1f %% [%.1f, %.1f]",
	        differ, m->pairs, 100.0 * (double)differ / (double)m->pairs, 100 * i.low,
	        100 * i.high);
	if (m->first_token.n > 0) {
		fprintf(to, "; half of them part by token %.0f",
		        spread_quantile(&m->first_token, 0.5) + 1);
	} else if (m->first_byte.n > 0) {
		fprintf(to, "; half of them part by byte %.0f",
		        spread_quantile(&m->first_byte, 0.5) + 1);
	}
	fputs(".\n", to);
}

static void print_cut(const char *name, const uint64_t counts[N_OUTCOMES], FILE *to)
{
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		if (counts[i] > 0) {
			fprintf(to, "    %" PRIu64 " where %s ended as %s\n", counts[i], name,
			        i ? outcome_name((enum outcome)i) : "unknown");
		}
	}
}

static void print_count(uint64_t n, const char *what, const char *name, FILE *to)
{
	if (n > 0) {
		fprintf(to, "    %" PRIu64 " %s%s\n", n, what, name);
	}
}

static void print_left_out(const struct analysis_group *g, FILE *to)
{
	const struct left_out *l = &g->left_out;
	uint64_t n = left_out_total(l);
	if (n == 0 && l->unlike_choices == 0) {
		return;
	}
	fprintf(to, "\n  left out of all figures: %" PRIu64 " of %" PRIu64 " pairs\n", n, g->legs);
	print_cut(g->base, l->base_cut, to);
	print_cut(g->test, l->test_cut, to);
	print_count(l->unfinished, "without a finish reason", "", to);
	print_count(l->base_error, "with an error from ", g->base, to);
	print_count(l->test_error, "with an error from ", g->test, to);
	print_count(l->unreadable, "that can't be read", "", to);
	print_count(l->unlike_choices, "choices that only one side has", "", to);
}

static void print_finishes(const struct metrics *m, FILE *to)
{
	if (m->finish_equal == m->with_finish) {
		return;
	}
	fputs("\n  finish reasons that differ (greedy), base -> test:\n", to);
	for (size_t i = 0; i < m->n_finishes; i++) {
		const struct finish_count *f = &m->finishes[i];
		if (strcmp(f->base, f->test) != 0) {
			fprintf(to, "    %s -> %s: %" PRIu64 "\n", f->base, f->test, f->n);
		}
	}
}

static void print_group(const struct analysis_group *g, FILE *to)
{
	print_verdict(g, to);
	print_table(g, to);
	print_finishes(&g->by[DECODING_GREEDY], to);
	print_left_out(g, to);
	struct hint hints[HINTS_LIMIT];
	size_t n = hints_find(g, hints);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%s  * %s\n", i == 0 ? "\n  hints\n" : "", hints[i].text);
	}
	hints_finish(hints, n);
	fputc('\n', to);
}

void report_text(const struct analysis *a, const char *const *problems, size_t n_problems, FILE *to)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		print_group(&a->groups[i], to);
	}
	fprintf(to, "%" PRIu64 " exchanges in %zu segments", a->exchanges, a->figures.segments);
	if (a->not_understood > 0) {
		fprintf(to, "; %" PRIu64 " neither chat nor completions", a->not_understood);
	}
	if (a->unpaired > 0) {
		fprintf(to, "; %" PRIu64 " with nothing to compare", a->unpaired);
	}
	if (a->absent > 0) {
		fprintf(to, "; %" PRIu64 " known from their legs alone", a->absent);
	}
	if (a->figures.damaged_rows > 0) {
		fprintf(to, "; %" PRIu64 " damaged rows skipped", a->figures.damaged_rows);
	}
	if (a->ungrouped > 0) {
		fprintf(to, "; %" PRIu64 " pairs of too many backends", a->ungrouped);
	}
	fputs(".\n", to);
	for (size_t i = 0; i < n_problems; i++) {
		fprintf(to, "problem: %s\n", problems[i]);
	}
}
