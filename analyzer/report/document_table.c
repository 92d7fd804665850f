/*
 * The table: one row a figure, one column a split.
 */
#include <inttypes.h>
#include <math.h>

#include "analyzer/report/document_parts.h"

#define LABEL_WIDTH 30
#define CELL_WIDTH 16
#define CELL_SIZE 64

/* One split. */
struct split {
	const struct metrics *m;
	const struct figure_value *values; /* by enum figure */
};

typedef void (*cell_fn)(const struct split *s, char *to);

/* A row is left out when no split has the figure. */
struct row {
	const char *label;
	cell_fn cell; /* writes at most CELL_SIZE bytes; nothing: the split does not have it */
};

/* With its interval. */
static void put_rate(char *to, uint64_t hits, uint64_t n)
{
	if (n > 0) {
		struct interval i = stats_wilson(hits, n);
		snprintf(to, CELL_SIZE, "%.1f %% [%.0f-%.0f]", 100.0 * (double)hits / (double)n,
		        100 * i.low, 100 * i.high);
	}
}

static void put_share(char *to, uint64_t hits, uint64_t n)
{
	if (n > 0) {
		snprintf(to, CELL_SIZE, "%.2f %%", 100.0 * (double)hits / (double)n);
	}
}

static void put_lengths(char *to, const struct lengths *l)
{
	if (l->n > 0) {
		snprintf(to, CELL_SIZE, "%+.1f", exact_sum_value(&l->bias) / (double)l->n);
	}
}

static void cell_pairs(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	snprintf(to, CELL_SIZE, "%" PRIu64, m->pairs);
}

/* With the interval that knows which answers are alike. */
static void put_figure(char *to, const struct split *s, enum figure f)
{
	const struct figure_value *v = &s->values[f];
	bool rate = figure_info(f)->kind == FIGURE_OF_RATE;
	double scale = rate ? 100 : 1;
	if (isnan(v->value)) {
		return;
	}
	if (isnan(v->ci.low)) {
		snprintf(to, CELL_SIZE, rate ? "%.1f %%" : "%.1f", v->value * scale);
	} else {
		snprintf(to, CELL_SIZE, rate ? "%.1f %% [%.0f-%.0f]" : "%.1f [%.0f-%.0f]",
		        v->value * scale, v->ci.low * scale, v->ci.high * scale);
	}
}

/* Small numbers, without an interval: --json has it. */
static void put_small(char *to, const struct split *s, enum figure f)
{
	if (!isnan(s->values[f].value)) {
		snprintf(to, CELL_SIZE, "%.4f", s->values[f].value);
	}
}

static void cell_differ(const struct split *s, char *to)
{
	put_figure(to, s, FIGURE_DIFFER);
}

/* A range is short, for there may be a column for each split; the sentence has it in full. */
static void cell_changed(const struct split *s, char *to)
{
	const struct figure_value *v = &s->values[FIGURE_ANSWER_CHANGED];
	if (!(v->most > v->value)) {
		put_figure(to, s, FIGURE_ANSWER_CHANGED);
	} else if (isnan(v->ci.low)) {
		snprintf(to, CELL_SIZE, "%.0f-%.0f %%", 100 * v->value, 100 * v->most);
	} else {
		snprintf(to, CELL_SIZE, "%.0f-%.0f %% [%.0f-%.0f]", 100 * v->value, 100 * v->most,
		        100 * v->ci.low, 100 * v->ci.high);
	}
}

static void cell_calls(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_rate(to, m->with_calls - m->calls_equal, m->with_calls);
}

static void cell_reasoning(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_rate(to, m->with_reasoning - m->reasoning_equal, m->with_reasoning);
}

static void cell_finish(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_rate(to, m->with_finish - m->finish_equal, m->with_finish);
}

static void cell_tokens(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_lengths(to, &m->tokens);
}

static void cell_bytes(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_lengths(to, &m->bytes);
}

static void cell_reasoning_bytes(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_lengths(to, &m->reasoning_bytes);
}

static void cell_positions(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	if (m->with_tokens > 0) {
		snprintf(to, CELL_SIZE, "%" PRIu64, m->at_risk);
	}
}

static void cell_hazard(const struct split *s, char *to)
{
	put_figure(to, s, FIGURE_HAZARD);
}

static void cell_kl(const struct split *s, char *to)
{
	put_small(to, s, FIGURE_KL_LOW);
}

static void cell_tv(const struct split *s, char *to)
{
	if (!isnan(s->values[FIGURE_TV_LOW].value)) {
		snprintf(to, CELL_SIZE, "%.4f to %.2f", s->values[FIGURE_TV_LOW].value,
		        s->values[FIGURE_TV_HIGH].value);
	}
}

static void cell_top1(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	put_share(to, m->top1_equal, m->with_top1);
}

static void cell_top1_logprob(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	if (m->top1_logprob.n > 0) {
		snprintf(to, CELL_SIZE, "%.4f", moments_rms(&m->top1_logprob));
	}
}

static void cell_jaccard(const struct split *s, char *to)
{
	const struct metrics *m = s->m;
	if (m->jaccard.n > 0) {
		snprintf(to, CELL_SIZE, "%.4f", moments_mean(&m->jaccard));
	}
}

static const struct row ROWS[] = {
        {"answers compared", cell_pairs},
        {"answers that differ", cell_differ},
        {"  in what they say", cell_changed},
        {"tool calls that differ", cell_calls},
        {"reasoning that differs", cell_reasoning},
        {"finish reasons that differ", cell_finish},
        {"length in tokens, mean change", cell_tokens},
        {"length in bytes, mean change", cell_bytes},
        {"reasoning bytes, mean change", cell_reasoning_bytes},
        {"tokens before they part", cell_positions},
        {"partings per 1,000 of these", cell_hazard},
        {"same likeliest token", cell_top1},
        {"top-1 logprob RMSE", cell_top1_logprob},
        {"top-5 Jaccard", cell_jaccard},
        {"KL divergence, at least", cell_kl},
        {"total variation, from to", cell_tv},
};

/* A label and cells; nothing is padded at the end of the line. */
static void print_line(const char *label, const char *const *cells, size_t n, FILE *to)
{
	fprintf(to, "  %-*s", LABEL_WIDTH, label);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, " %-*s", i + 1 < n ? CELL_WIDTH : 0, cells[i]);
	}
	fputc('\n', to);
}

static void print_row(const struct row *row, const struct analysis_group *g, FILE *to)
{
	char cells[N_DECODINGS][CELL_SIZE] = {0};
	const char *line[N_DECODINGS];
	bool any = false;
	size_t n = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].pairs > 0) {
			const struct split split = {&g->by[d], g->values[d]};
			row->cell(&split, cells[d]);
			any |= cells[d][0] != '\0';
			line[n++] = cells[d][0] ? cells[d] : "-";
		}
	}
	if (any) {
		print_line(row->label, line, n, to);
	}
}

static void print_legend(const struct analysis_group *g, FILE *to)
{
	bool logprobs = false, splits = false;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		logprobs |= g->by[d].top1_logprob.n > 0;
		splits |= d != DECODING_GREEDY && g->by[d].pairs > 0;
	}
	if (splits) {
		fputs("  Greedy: decoded without chance. Only these are judged; of the others "
		      "texts differ anyhow.\n",
		        to);
	}
	if (logprobs) {
		fprintf(to,
		        "  RMSE: how far apart both hold the log probability of the base's "
		        "likeliest token, 0 is equal.\n"
		        "  Jaccard: how many of their five likeliest tokens are the same, 1 is "
		        "all. The base: %s.\n",
		        g->base);
	}
}

void report_table(const struct analysis_group *g, FILE *to)
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
	print_legend(g, to);
}
