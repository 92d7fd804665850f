#include "analyzer/report/document_forced.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LABEL 34
#define CELL 15
#define CELL_NARROW 12
#define COLUMNS_WIDE 4 /* more find room without intervals only */

struct column {
	const char *name;
	struct forced_figures figures;
	const struct estimate *values;
};

static size_t columns_of(const struct forced_group *g, struct column *ret)
{
	size_t n = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].answers > 0) {
			ret[n++] = (struct column){
			        decoding_name((enum decoding)d), g->by[d], g->values[d]};
		}
	}
	if (n > 1) {
		ret[n++] = (struct column){"all", forced_total(g), g->values[N_DECODINGS]};
	}
	return n;
}

static double share(uint64_t hits, uint64_t n)
{
	return n ? 100.0 * (double)hits / (double)n : NAN;
}

static double value_of(const struct forced_figures *f, int row)
{
	switch (row) {
	case 0:
		return (double)f->answers;
	case 1:
		return (double)f->positions;
	case 2:
		return share(f->positions, f->tokens);
	case 3:
		return share(f->top_equal, f->with_top);
	case 4:
		return moments_mean(&f->logprob);
	case 5:
		return moments_rms(&f->logprob);
	case 6:
		return moments_mean(&f->of_answers);
	case 7:
		return forced_perplexity(f->answer_sum, f->logprob.n);
	default:
		return forced_perplexity(f->score_sum, f->logprob.n);
	}
}

static int cell_width(size_t n)
{
	return n > COLUMNS_WIDE ? CELL_NARROW : CELL;
}

static void print_row(const char *label, const struct column *columns, size_t n, int row,
        const char *format, FILE *to)
{
	fprintf(to, "  %-*s", LABEL, label);
	for (size_t i = 0; i < n; i++) {
		double value = value_of(&columns[i].figures, row);
		char *text = isnan(value)                     ? xstrdup("-")
		             : strcmp(format, "count") == 0   ? xasprintf("%.0f", value)
		             : strcmp(format, "percent") == 0 ? xasprintf("%.1f %%", value)
		                                              : xasprintf("%.4f", value);
		fprintf(to, "%*s", cell_width(n), text);
		free(text);
	}
	fputc('\n', to);
}

/* Below the row of its figure; nothing where no column has one, or there is no room. */
static void print_intervals(
        const struct column *columns, size_t n, enum forced_figure f, double scale, FILE *to)
{
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		any = any || !isnan(columns[i].values[f].ci.low);
	}
	if (!any || n > COLUMNS_WIDE) {
		return;
	}
	fprintf(to, "  %-*s", LABEL, "  95 % interval");
	for (size_t i = 0; i < n; i++) {
		const struct interval ci = columns[i].values[f].ci;
		int digits = scale > 1 ? 1 : 3;
		char *text = isnan(ci.low) ? xstrdup("-")
		                           : xasprintf("%.*f:%.*f", digits, scale * ci.low, digits,
		                                     scale * ci.high);
		fprintf(to, "%*s", CELL, text);
		free(text);
	}
	fputc('\n', to);
}

static void print_table(const struct forced_group *g, FILE *to)
{
	static const struct {
		const char *label, *format;
		enum forced_figure figure; /* whose interval comes next; N_FORCED: none */
		double scale;
	} ROWS[] = {{"answers", "count", N_FORCED, 1}, {"positions", "count", N_FORCED, 1},
	        {"  of all tokens", "percent", N_FORCED, 1},
	        {"most probable to the scorer", "percent", FORCED_SAME_TOP, 100},
	        {"logprob, mean difference", "", FORCED_LOGPROB, 1},
	        {"  root mean square", "", N_FORCED, 1},
	        {"  mean of the answers' means", "", FORCED_OF_ANSWERS, 1}};
	struct column columns[N_DECODINGS + 1];
	size_t n = columns_of(g, columns);
	fprintf(to, "  %-*s", LABEL, "");
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%*s", cell_width(n), columns[i].name);
	}
	fputc('\n', to);
	for (int i = 0; i < (int)ARRAY_LEN(ROWS); i++) {
		print_row(ROWS[i].label, columns, n, i, ROWS[i].format, to);
		if (ROWS[i].figure < N_FORCED) {
			print_intervals(columns, n, ROWS[i].figure, ROWS[i].scale, to);
		}
	}
	char *own = xasprintf("perplexity by %.*s", LABEL - 15, g->of);
	char *its = xasprintf("perplexity by %.*s", LABEL - 15, g->scorer);
	print_row(own, columns, n, 7, "", to);
	print_row(its, columns, n, 8, "", to);
	free(own);
	free(its);
}

static void print_count(uint64_t n, const char *what, FILE *to)
{
	if (n > 0) {
		fprintf(to, "  %" PRIu64 " %s\n", n, what);
	}
}

static void print_group(const struct forced_group *g, const struct report_options *o, FILE *to)
{
	struct forced_figures all = forced_total(g);
	fprintf(to, "%sTeacher-forced: %s's own tokens, as %s finds them%s\n",
	        o->colour ? "\033[1m" : "", g->of, g->scorer, o->colour ? "\033[0m" : "");
	if (all.answers > 0) {
		fprintf(to,
		        "Every token counts here, also behind the first difference and in sampled "
		        "answers; unlike\nthose of free-running texts, these figures are not "
		        "biased towards easy positions. Differences\nare %s - %s.\n",
		        g->of, g->scorer);
		print_table(g, to);
	}
	print_count(g->without, "scored answers were recorded without logprobs of their own", to);
	print_count(g->unmatched, "scored answers share no token with their scores", to);
	print_count(g->unreadable, "scores can't be read", to);
	fputc('\n', to);
}

void report_forced(const struct forced *f, const struct report_options *options, FILE *to)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		print_group(&f->groups[i], options, to);
	}
	print_count(f->orphans, "scores of answers that are not in this capture", to);
	print_count(f->ungrouped, "scores of too many backends", to);
}
