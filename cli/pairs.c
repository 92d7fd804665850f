/*
 * plumbline pairs - prints the comparison of each pair of answers as a row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "analyzer/part_set.h"
#include "analyzer/rows/row_writer.h"
#include "analyzer/rows/capture_walk.h"
#include "base/check.h"
#include "base/mem.h"
#include "cli/input.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/written.h"
#include "cli/outfile.h"
#include "base/options.h"
#include "cli/known_backend.h"
#include "cli/selecting.h"

#define BACKENDS_LIMIT 64 /* most backends whose names and URLs are printed */

struct pairs_options {
	const char **dirs;
	size_t n_dirs;
	struct selecting selecting;
	struct analysis_options analysis;
	uint64_t part, of;
	const char *out; /* NULL: standard output */
	bool csv, columns;
};

static char *read_part(void *to, const char *name, const char *value)
{
	struct pairs_options *o = to;
	const char *slash = strchr(value, '/');
	char *number = xstrndup(value, slash ? (size_t)(slash - value) : 0);
	char *problem = slash ? options_number(name, slash + 1, 1, PARTS_LIMIT, &o->of) : NULL;
	if (!problem && slash) {
		problem = options_number(name, number, 1, o->of, &o->part);
	}
	free(number);
	return slash ? problem : xasprintf("--part needs I/N, such as 2/3, not \"%.60s\"", value);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n > m && strcmp(text + n - m, end) == 0;
}

static char *read_out(void *to, const char *name, const char *value)
{
	struct pairs_options *o = to;
	o->out = value;
	o->csv = ends_in(value, ".csv");
	bool known = o->csv || ends_in(value, ".ndjson") || ends_in(value, ".jsonl");
	return known ? NULL
	             : xasprintf("--out %.200s: the name must end in .ndjson or .csv", value);
}

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"part", 0, "I/N",
                "write only part I of N, so that several processes or machines can share the work; "
                "all answers to one prompt are in the same part",
                OPT_CALL_ALL(read_part)},
        {"out", 0, "FILE",
                "write to this file, .ndjson or .csv (standard output); .csv has only the rows of "
                "pairs",
                OPT_CALL_ALL(read_out)},
        {"columns", 0, NULL, "list the types of rows and their columns; read no capture",
                OPT_BOOL(struct pairs_options, columns)},
        OPT_INCLUDE(SELECTING_OPTIONS, struct pairs_options, selecting),
        OPT_INCLUDE(SELECTING_BY_OPTIONS, struct pairs_options, selecting),
        OPT_END,
};

static const struct verb PAIRS = {
        .name = "pairs",
        .usage = "DIR... [options]",
        .about = "Writes what each pair of recorded answers shows, one row of figures a pair, "
                 "without any text of prompts or answers: one JSON object a line. Rows of other "
                 "types say what single answers show, which pairs can't be compared, and how much "
                 "engines differ from themselves; docs/rows.md describes all columns. plumbline "
                 "analyze --from-pairs makes the report of the capture from these rows.",
        .options = OPTIONS,
        .examples = "plumbline pairs capture --out pairs.ndjson\n"
                    "plumbline analyze --from-pairs pairs.ndjson\n"
                    "plumbline pairs capture --where model='llama-*' --out pairs.csv\n"
                    "plumbline pairs capture --part 2/3 --out part-2.ndjson\n"
                    "plumbline pairs capture \\\n"
                    "    | jq -c 'select(.row == \"pair\" and .differ) | [.exchange, .meaning]'",
        .exit_codes = "0 written, 2 command line, 3 the capture can't be read or the file can't be "
                      "written, 4 there is no exchange, or none is selected",
};

/* Prints TYPE, COLUMN and VALUES, separated by tabs. */
static void list_columns(FILE *to)
{
	for (enum row_type type = 0; type < N_ROW_TYPES; type++) {
		const struct row_table *t = row_table(type);
		for (size_t i = 0; i < t->n; i++) {
			const struct row_column *c = &t->columns[i];
			fprintf(to, "%s\t%s\t%s", t->name, c->name, column_type_name(c->type));
			for (uint32_t w = c->first; c->word && w < c->end; w++) {
				fprintf(to, "%s%s", w > c->first ? "," : "\t", c->word(w));
			}
			fputc('\n', to);
		}
	}
}

/* The facts about the whole capture that precede its rows. */
struct capture_facts {
	struct capture *capture;
	XXH3_state_t *name; /* the hash of all exchanges and their legs */
	char *backends[BACKENDS_LIMIT];
	size_t n_backends;
};

static bool has_backend(const struct capture_facts *l, const char *text)
{
	size_t i = 0;
	while (i < l->n_backends && strcmp(l->backends[i], text) != 0) {
		i++;
	}
	return i < l->n_backends;
}

static void add_backend(struct capture_facts *l, const struct leg_row *leg)
{
	if (!leg->backend || !leg->url || l->n_backends == BACKENDS_LIMIT) {
		return;
	}
	char *text = xasprintf("%s %s", leg->backend, leg->url);
	if (!has_backend(l, text)) {
		l->backends[l->n_backends++] = text;
	} else {
		free(text);
	}
}

/* Drops the backends that the capture's settings do not contain. */
static void drop_unknown_backends(struct capture_facts *l)
{
	size_t kept = 0;
	for (size_t i = 0; i < l->n_backends; i++) {
		char *name = l->backends[i], *url = strrchr(name, ' ');
		*url = '\0';
		if (known_backend_exists(l->capture, name, url + 1)) {
			*url = ' ';
			l->backends[kept++] = name;
		} else {
			free(name);
		}
	}
	l->n_backends = kept;
}

static void scan_capture(struct capture_facts *l, uint8_t ret_name[ROW_CAPTURE_SIZE])
{
	struct capture_exchange e;
	l->name = XXH3_createState();
	XXH3_128bits_reset(l->name);
	capture_rewind(l->capture);
	while (capture_next(l->capture, &e) == 1) {
		XXH3_128bits_update(l->name, &e.row.id, sizeof(e.row.id));
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			XXH3_128bits_update(l->name, &leg->id, sizeof(leg->id));
			add_backend(l, leg);
		}
		capture_exchange_finish(&e);
	}
	capture_rewind(l->capture);
	XXH128_canonicalFromHash(
	        (XXH128_canonical_t *)(void *)ret_name, XXH3_128bits_digest(l->name));
	XXH3_freeState(l->name);
	drop_unknown_backends(l);
}

static void begin_part(struct part_writer *w, struct capture *c, const struct pairs_options *o)
{
	struct capture_facts l = {.capture = c};
	struct part_row part = {
	        .version = ROWS_VERSION,
	        .part = (uint32_t)o->part,
	        .of = (uint32_t)o->of,
	        .captures = {o->dirs, o->n_dirs},
	        .base = o->selecting.base,
	        .test = o->selecting.test,
	        .where = {o->selecting.where, o->selecting.n_where},
	        .since_ns = o->analysis.selection.since_ns,
	        .until_ns = o->analysis.selection.until_ns,
	        .by = o->analysis.by,
	};
	scan_capture(&l, part.capture);
	part.backends = (struct text_list){(const char *const *)l.backends, l.n_backends};
	part_writer_begin(w, &part);
	for (size_t i = 0; i < l.n_backends; i++) {
		free(l.backends[i]);
	}
}

static void end_part(struct part_writer *w, struct capture *c, struct part_end *end)
{
	struct capture_figures figures;
	capture_figures(c, &figures);
	end->segments = figures.segments;
	end->refused_segments = figures.refused;
	end->damaged_rows = figures.damaged_rows;
	end->problems.n = capture_problems(c, &end->problems.items);
	part_writer_end(w, end);
}

/* Returns an exit code. */
static int conclude(
        const struct pairs_options *o, struct capture *c, const struct exchange_counts *counts)
{
	struct analysis a = {.counts = *counts};
	char *why = selecting_nothing(&o->selecting, c, &a);
	if (why && counts->chosen == 0 && o->of == 1) {
		return verb_fail("pairs", EXIT_NOT_ENOUGH, why);
	}
	free(why);
	bool is_whole = input_warn("pairs", c) == 0;
	if (counts->chosen == 0 && !is_whole) {
		return EXIT_RUNTIME;
	}
	if (counts->chosen == 0 && o->of == 1) {
		return verb_fail("pairs", EXIT_NOT_ENOUGH,
		        xstrdup("the capture is empty: no exchange has been recorded yet"));
	}
	return EXIT_PASS;
}

static int write_part(struct capture *c, struct pairs_options *o, FILE *to)
{
	char *problem = selecting_resolve(&o->selecting, c, &o->analysis);
	if (problem) {
		return verb_fail("pairs", EXIT_USAGE, problem);
	}
	struct part_writer writer = {.to = to, .csv = o->csv};
	struct part_end end = {.part = (uint32_t)o->part, .of = (uint32_t)o->of};
	begin_part(&writer, c, o);
	const struct row_sink sink = part_writer_sink(&writer);
	capture_walk_part(c, &o->analysis, &sink, &end.counts, &end.repeated);
	end_part(&writer, c, &end);
	part_writer_finish(&writer);
	return conclude(o, c, &end.counts);
}

static int write_file(struct capture *c, struct pairs_options *o)
{
	struct outfile file;
	if (!o->out) {
		return verb_flush("pairs", write_part(c, o, stdout));
	}
	int code = EXIT_PASS, r = outfile_begin(&file, o->out, 0666);
	if (r == 0) {
		code = write_part(c, o, file.to);
		r = outfile_end(&file);
	}
	if (r < 0) {
		return verb_fail("pairs", EXIT_RUNTIME,
		        xasprintf("%.200s can't be written: %s", o->out, strerror(-r)));
	}
	written_print("pairs", o->out, WRITTEN_NO_TEXTS);
	return code;
}

static int run(struct pairs_options *o)
{
	char *error = NULL;
	struct capture *c = capture_open(o->dirs, o->n_dirs, &error);
	if (!c) {
		return verb_fail("pairs", EXIT_RUNTIME, error);
	}
	o->analysis.part = (struct part){(unsigned)o->part, (unsigned)o->of};
	o->analysis.progress = o->out || !isatty(STDOUT_FILENO);
	int code = write_file(c, o);
	capture_close(c);
	return code;
}

int command_pairs(int argc, char **argv)
{
	struct pairs_options o = {.part = 1, .of = 1};
	struct operands rest;
	int code;
	if (!verb_read(&PAIRS, argc, argv, &o, &rest, &code)) {
		return code;
	}
	if (o.columns) {
		list_columns(stdout);
		return EXIT_PASS;
	}
	o.dirs = rest.words;
	o.n_dirs = rest.n;
	char *problem = rest.n ? selecting_parse(&o.selecting, &o.analysis)
	                       : xstrdup("no capture is given: name its directory");
	problem = !problem && o.out ? outfile_check("out", o.out, NULL) : problem;
	code = problem ? verb_usage(&PAIRS, problem) : run(&o);
	selecting_finish(&o.selecting);
	return code;
}
