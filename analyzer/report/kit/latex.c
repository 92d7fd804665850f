#include "analyzer/report/kit/latex.h"

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

#define TEXT_LIMIT 1000 /* bytes of a text */
#define TABLE_ROWS 30
#define FLOATS 12 /* LaTeX keeps few floats that have no page yet */

static const char HEAD[] =
        "% Tables and figures; the preamble needs \\usepackage{booktabs,graphicx}.\n"
        "% From another directory: \\newcommand{\\kitpath}{path/to/this/directory}\n"
        "% LaTeX reads drawings as PDF: for f in *.svg; do rsvg-convert -f pdf -o "
        "${f%.svg}.pdf $f; done\n"
        "\\providecommand{\\kitpath}{.}\n"
        "\\providecommand{\\kitfigure}[1]{\\IfFileExists{\\kitpath/#1.pdf}%\n"
        "  {\\includegraphics{\\kitpath/#1.pdf}}{\\fbox{\\texttt{\\detokenize{#1}.svg}}}}\n"
        "% Places the floats so far; leave it out if there is enough text between them.\n"
        "\\providecommand{\\kitflush}{\\clearpage}\n";

static void put_ascii(struct buf *to, char c, char before, char after)
{
	if (c == '\\') {
		buf_append_str(to, "\\textbackslash{}");
	} else if (c == '~' || c == '^') {
		buf_printf(to, "\\%c{}", c);
	} else if (c == '<' || c == '>' || c == '|' || c == '"') {
		buf_printf(to, "\\char%d{}", c);
	} else if (strchr("{}$&#_%", c)) {
		buf_printf(to, "\\%c", c);
	} else if (c == '-' && is_digit(after) && !is_alnum(before)) {
		buf_append_str(to, "$-$");
	} else if (c == '-' && before == '-') {
		buf_append_str(to, "{}-"); /* no dash */
	} else {
		buf_append_char(to, c);
	}
}

/* Appends an untrusted text, shown literally. Characters that pdfLaTeX may lack become '?'. */
static void put_text(struct buf *to, const char *text)
{
	const char *end = text + strnlen(text, TEXT_LIMIT);
	char before = ' ';
	while (text < end) {
		uint32_t code = 0;
		size_t n = utf8_get(text, end, &code);
		if (n == 1 && utf8_is_shown(code)) {
			put_ascii(to, *text, before, text[1]);
		} else if (n == 2 && code >= 0xc0 && code <= 0xff) { /* Latin letters */
			buf_append(to, text, n);
		} else {
			buf_append_char(to, n == 1 ? ' ' : '?');
		}
		before = *text;
		text += n > 0 ? n : 1;
	}
}

static void write_text(FILE *to, const char *text)
{
	struct buf safe = {0};
	put_text(&safe, text);
	fputs(buf_cstr(&safe), to);
	buf_finish(&safe);
}

/* "53.3 \% [25.7 to 79.5], $n = 30$", or a dash. */
static void write_cell(FILE *to, enum metric_unit unit, const struct plot_point *point)
{
	struct buf text = {0};
	if (!point) {
		fputs("--", to);
		return;
	}
	metric_put_value(&text, unit, &point->y);
	write_text(to, buf_cstr(&text));
	if (point->y.n >= 0) {
		fprintf(to, ", $n = %.0f$", point->y.n);
	}
	buf_finish(&text);
}

/* Returns the number of rows. */
static size_t write_rows(
        const struct plot *p, const char *const series[], size_t n_series, FILE *to)
{
	const char *labels[PLOT_LABELS];
	size_t n = plot_labels(p, labels, PLOT_LABELS);
	if (p->title) {
		fprintf(to, "\\midrule\n\\multicolumn{%zu}{l}{\\textit{", n_series + 1);
		write_text(to, p->title);
		fputs("}} \\\\\n", to);
	}
	for (size_t i = 0; i < n; i++) {
		/* After the end of a row, also behind blanks, [ and * would be arguments. */
		fputs(is_alnum(*labels[i]) ? "" : "{}", to);
		write_text(to, labels[i]);
		for (size_t k = 0; k < n_series; k++) {
			fputs(" & ", to);
			write_cell(to, p->unit, plot_find(p, labels[i], series[k]));
		}
		fputs(" \\\\\n", to);
	}
	return n + (p->title != NULL);
}

static bool is_in(const struct plot *p, const char *table)
{
	return p->table && strcmp(p->table, table) == 0;
}

static void begin_table(
        const struct plot *first, const char *const series[], size_t n_series, FILE *to)
{
	fputs("\n\\begin{table*}\n\\centering\\small\n\\begin{tabular}{l", to);
	for (size_t i = 0; i < n_series; i++) {
		fputc('r', to);
	}
	fputs("}\n\\toprule\n", to);
	for (size_t i = 0; i < n_series; i++) {
		fputs(" & ", to);
		write_text(to, *series[i] ? series[i] : first->y_label);
	}
	fprintf(to, " \\\\\n%s", first->title ? "" : "\\midrule\n");
}

/* part: the number of the table, from 1, if a long one is divided. */
static void end_table(const struct plot *first, size_t part, FILE *to)
{
	fputs("\\bottomrule\n\\end{tabular}\n\\caption{", to);
	write_text(to, first->title ? "Figures by target: value [95 % interval], and the number n "
	                              "of answers or positions."
	                            : first->caption);
	fprintf(to, "}\n\\label{tab:plumbline-%s", first->table);
	if (part > 1) {
		fprintf(to, "-%zu", part);
	}
	fputs("}\n\\end{table*}\n", to);
}

/* A table of all plots that belong to it; a long one is divided, because LaTeX does not break it
 * between pages. Its columns are the series of the first. */
static void write_table(const struct plots *all, const struct plot *first, FILE *to)
{
	const char *series[PLOT_SERIES];
	size_t n = plot_series(first, series, PLOT_SERIES);
	for (size_t i = 0; i < all->n; i++) {
		const char *own[PLOT_SERIES];
		size_t more = plot_series(&all->items[i], own, PLOT_SERIES);
		if (is_in(&all->items[i], first->table) && more > n) {
			n = more;
			memcpy(series, own, sizeof(own));
		}
	}
	size_t rows = 0, part = 1;
	begin_table(first, series, n, to);
	for (size_t i = 0; i < all->n; i++) {
		if (!is_in(&all->items[i], first->table)) {
			continue;
		}
		if (rows >= TABLE_ROWS) {
			end_table(first, part++, to);
			begin_table(first, series, n, to);
			rows = 0;
		}
		rows += write_rows(&all->items[i], series, n, to);
	}
	end_table(first, part, to);
}

void latex_write(const struct plots *all, FILE *to)
{
	const char *last = "";
	fputs(HEAD, to);
	for (size_t i = 0; i < all->n; i++) {
		const struct plot *p = &all->items[i];
		if (p->table && strcmp(p->table, last) != 0) {
			last = p->table;
			write_table(all, p, to);
		}
	}
	for (size_t i = 0; i < all->n; i++) {
		const struct plot *p = &all->items[i];
		fputs(i % FLOATS == 0 ? "\n\\kitflush\n" : "", to);
		const char *kind = plot_is_wide(p) ? "figure*" : "figure";
		fprintf(to, "\n\\begin{%s}\n\\centering\n\\kitfigure{%s}\n\\caption{", kind,
		        p->name);
		write_text(to, p->caption);
		fprintf(to, "}\n\\label{fig:plumbline-%s}\n\\end{%s}\n", p->name, kind);
	}
}
