#include "analyzer/report/kit/kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/report/screen/checklist.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/kit/latex.h"
#include "analyzer/report/kit/plots.h"
#include "analyzer/report/node.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/moment.h"

#define README "README.md"
#define FIRST_LINE "# plumbline publication kit\n" /* a README that begins so is of a kit */
#define ROW_START "| `"                            /* of a file in the README */

static const char SOURCES[] =
        "## Sources of the formulas\n\n"
        "`docs/metrics.md` of plumbline defines every figure. They follow these sources:\n\n"
        "- Output disagreement, length bias and magnitude, divergence index, logprob RMSE and "
        "top-5 Jaccard: Pape, Evertz and Schönherr, *The Silent Hyperparameter: Quantifying the "
        "Impact of Inference Backends on LLM Reproducibility*, arXiv 2605.19537 (2026).\n"
        "- Intervals of rates: exact, mid-P (Lancaster 1961), on the effective number of answers "
        "(Kish 1965; Korn and Graubard 1998).\n"
        "- Intervals of means: bootstrap over clusters (Hesterberg 2015).\n"
        "- Excess over the noise floor: MOVER (Newcombe 1998; Zou and Donner 2008).\n"
        "- Sampled answers, prompts crossed with seeds: Cornfield and Tukey 1956; Brennan 2001.\n"
        "- Answers still identical after so many tokens: Kaplan and Meier 1958.\n"
        "- Several tests: Holm 1979.\n";

struct kit {
	const json_t *document;
	struct plots plots;
};

static char *path_of(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static FILE *open_readme(const char *dir)
{
	char *path = path_of(dir, README);
	FILE *f = fopen(path, "re");
	free(path);
	return f;
}

static bool is_kit(const char *dir)
{
	char line[sizeof(FIRST_LINE) + 1];
	FILE *f = open_readme(dir);
	bool is = f && fgets(line, sizeof(line), f) && strcmp(line, FIRST_LINE) == 0;
	if (f) {
		(void)fclose(f);
	}
	return is;
}

int kit_check(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;
	if (!d) {
		return errno == ENOENT ? 0 : -errno;
	}
	while (readdir(d)) {
		n++;
	}
	closedir(d);
	return n > 2 && !is_kit(dir) ? -ENOTEMPTY : 0; /* "." and ".." are two */
}

/* Removes the drawings and data of an earlier kit, which may have other figures. */
static void remove_earlier(const char *dir)
{
	static const char SAFE[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	char line[256];
	FILE *f = open_readme(dir);
	while (f && fgets(line, sizeof(line), f)) {
		char *name = line + sizeof(ROW_START) - 1;
		if (strncmp(line, ROW_START, sizeof(ROW_START) - 1) != 0) {
			continue;
		}
		name[strcspn(name, "`")] = '\0';
		const char *end = name + strspn(name, SAFE);
		if (end > name && (strcmp(end, ".svg") == 0 || strcmp(end, ".csv") == 0)) {
			char *path = path_of(dir, name);
			(void)unlink(path);
			free(path);
		}
	}
	if (f) {
		(void)fclose(f);
	}
}

static void put_markdown(FILE *to, const char *text)
{
	struct buf safe = {0};
	escape_markdown(&safe, text);
	fputs(buf_cstr(&safe), to);
	buf_finish(&safe);
}

/* A line for each stack. */
static void write_stacks(const struct kit *k, FILE *to)
{
	static const char *const SHOWN[] = {
	        "engine", "engine.version", "model", "model.quantization"};
	NODE_EACH(stack, node_at(k->document, "manifest.stacks")) {
		fputs("- ", to);
		put_markdown(to, node_text(stack, "backend"));
		NODE_EACH(item, json_object_get(stack, "items")) {
			const char *value = node_text(item, "value");
			for (size_t s = 0; s < ARRAY_LEN(SHOWN); s++) {
				if (node_is(item, "name", SHOWN[s])) {
					fputs("; ", to);
					put_markdown(to, node_text(item, "title"));
					fputs(" ", to);
					put_markdown(to, *value ? value : "unknown");
				}
			}
		}
		fputs("\n", to);
	}
}

static void write_files(const struct kit *k, FILE *to)
{
	fputs("\n## Files\n\n| file | content |\n|---|---|\n"
	      "| `tables.tex` | the tables, and the figures with captions, for LaTeX |\n"
	      "| `checklist.md` | the reporting checklist of each inference stack |\n"
	      "| `figures.csv` | the numbers of all figures |\n",
	        to);
	for (size_t i = 0; i < k->plots.n; i++) {
		const struct plot *p = &k->plots.items[i];
		fprintf(to, ROW_START "%s.svg` | ", p->name);
		put_markdown(to, p->caption);
		fprintf(to, " |\n" ROW_START "%s.csv` | its numbers |\n", p->name);
	}
}

/* The command as code: on one line, without control characters. */
static void write_command(const struct kit *k, FILE *to)
{
	const char *command = node_text(k->document, "command");
	fputs("\n\nThe analysis was made with this command:\n\n    ", to);
	for (const char *c = *command ? command : "unknown"; *c; c++) {
		fputc((unsigned char)*c < ' ' ? ' ' : *c, to);
	}
	fputs("\n\n", to);
}

static void write_readme(const struct kit *k, FILE *to)
{
	char now[MOMENT_TEXT_SIZE];
	fprintf(to, FIRST_LINE "\n%s: ", groups_verdict(k->document));
	put_markdown(to, groups_sentence(k->document));
	write_command(k, to);
	fprintf(to,
	        "plumbline " PLUMBLINE_VERSION
	        " wrote this directory at %s. The inference stacks:\n\n",
	        moment_format(clock_wall(), now));
	write_stacks(k, to);
	write_files(k, to);
	fputs("\nColumns of the CSV files: `figure`, `label` and `series` name a point; `x` is its "
	      "place, if that is a number; `y` is the value. `low` and `high` are the ends of the "
	      "95 % interval. If some answers are undecided, the value is between `y` and "
	      "`y_at_most`. `n` is the number of answers, positions, prompts or draws. Shares are "
	      "from 0 to 1.\n\n"
	      "LaTeX: write `\\input{tables}`. It reads drawings as PDF; convert them with\n\n"
	      "    for f in *.svg; do rsvg-convert -f pdf -o \"${f%.svg}.pdf\" \"$f\"; done\n\n",
	        to);
	fputs(SOURCES, to);
}

static void write_tables(const struct kit *k, FILE *to)
{
	latex_write(&k->plots, to);
}

static void write_checklist(const struct kit *k, FILE *to)
{
	const json_t *manifest = json_object_get(k->document, "manifest");
	if (!json_is_object(manifest)) {
		fputs("This analysis has no facts about the stacks: it was not made from a "
		      "capture.\n",
		        to);
	}
	checklist_write(manifest, WRITER_MARKDOWN, to);
}

static void write_numbers(const struct kit *k, FILE *to)
{
	plot_csv(k->plots.items, k->plots.n, to);
}

static void write_drawing(const struct kit *k, FILE *to)
{
	plot_svg(k->plots.items, to);
}

static int write_file(const struct kit *k, const char *dir, const char *name, const char *suffix,
        void (*write)(const struct kit *k, FILE *to))
{
	char *path = xasprintf("%s/%s%s", dir, name, suffix);
	FILE *f = fopen(path, "we");
	int r = f ? 0 : -errno;
	free(path);
	if (f) {
		write(k, f);
		r = ferror(f) ? -EIO : 0;
		r = fclose(f) != 0 ? -errno : r;
	}
	return r;
}

static int write_plot(const struct kit *k, const char *dir, struct plot *p)
{
	const struct kit one = {.document = k->document, .plots = {.items = p, .n = 1}};
	int r = write_file(&one, dir, p->name, ".svg", write_drawing);
	return r < 0 ? r : write_file(&one, dir, p->name, ".csv", write_numbers);
}

int kit_write(const json_t *document, const char *dir)
{
	static const struct {
		const char *name;
		void (*write)(const struct kit *k, FILE *to);
	} FILES[] = {{README, write_readme}, {"tables.tex", write_tables},
	        {"checklist.md", write_checklist}, {"figures.csv", write_numbers}};
	struct kit k = {.document = document};
	int r = mkdir(dir, 0777) < 0 && errno != EEXIST ? -errno : kit_check(dir);
	if (r < 0) {
		return r;
	}
	remove_earlier(dir);
	plots_read(document, &k.plots);
	for (size_t i = 0; i < ARRAY_LEN(FILES) && r == 0; i++) {
		r = write_file(&k, dir, FILES[i].name, "", FILES[i].write);
	}
	for (size_t i = 0; i < k.plots.n && r == 0; i++) {
		r = write_plot(&k, dir, &k.plots.items[i]);
	}
	plots_finish(&k.plots);
	return r;
}
