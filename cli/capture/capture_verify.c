#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "capture/salvage.h"
#include "capture/verifier.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "cli/progress_count.h"

struct verification {
	bool json;
	const char *dir;
	struct salvage *salvage; /* or NULL */
	struct verifier_figures total;
	uint64_t findings;
	struct buf json_findings;
	struct progress_count progress;
};

static void on_finding(void *arg, struct id segment, const char *sentence)
{
	struct verification *v = arg;
	char id[ID_TEXT_SIZE];
	v->findings++;
	bool of_segment = !id_is_zero(segment);
	if (!v->json) {
		progress_count_end(&v->progress);
		terminal_printf(stdout, "%s%s%s: %s\n", v->dir, of_segment ? "/" : "",
		        of_segment ? id_format(segment, id) : "", sentence);
		return;
	}
	struct json_writer w = {.to = &v->json_findings, .comma = v->json_findings.len > 0};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "dir", v->dir);
	if (of_segment) {
		json_writer_text(&w, "segment", id_format(segment, id));
	}
	json_writer_text(&w, "finding", sentence);
	json_writer_close(&w, "}");
}

static int on_row(void *arg, enum segment_table t, struct span key, struct span value)
{
	struct verification *v = arg;
	return v->salvage ? salvage_add_row(v->salvage, t, key, value) : 0;
}

static void on_progress(void *arg, uint64_t rows)
{
	struct verification *v = arg;
	progress_count(&v->progress, rows);
}

static void add(struct verifier_figures *total, const struct verifier_figures *f)
{
	total->segments += f->segments;
	total->sealed += f->sealed;
	total->live += f->live;
	total->orphaned += f->orphaned;
	total->unsound += f->unsound;
	total->exchanges += f->exchanges;
	total->legs += f->legs;
	total->parts += f->parts;
	total->damaged += f->damaged;
	total->missing += f->missing;
	total->dangling += f->dangling;
}

static int verify_dir(struct verification *v, const char *dir)
{
	struct id *ids;
	size_t n;
	int code = input_check(dir);
	if (code != EXIT_PASS) {
		return code;
	}
	v->dir = dir;
	int r = segment_list(dir, &ids, &n);
	if (r < 0) {
		return verb_fail("capture", EXIT_RUNTIME,
		        xasprintf("%s cannot be read: %s", dir, strerror(-r)));
	}
	static const struct verifier_events events = {on_finding, on_row, on_progress};
	struct verifier *s = verifier_create(dir, &events, v);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = verifier_segment(s, ids[i]);
		char text[ID_TEXT_SIZE];
		if (r == -ENOENT && segment_state(dir, ids[i]) == SEGMENT_ORPHANED) {
			r = 0; /* pruned since the directory was read */
		} else if (r < 0) {
			fprintf(stderr, "plumbline capture: segment %s in %s: %s\n",
			        id_format(ids[i], text), dir, strerror(-r));
		}
	}
	free(ids);
	struct verifier_figures figures;
	verifier_end(s, &figures);
	verifier_destroy(s);
	add(&v->total, &figures);
	return r < 0 ? EXIT_RUNTIME : EXIT_PASS;
}

static void print_json(const struct verification *v)
{
	const struct verifier_figures *t = &v->total;
	struct buf text = {0};
	struct json_writer w = {.to = &text};
	json_writer_open(&w, NULL, '{');
	json_writer_bool(&w, "whole", !v->findings);
	json_writer_count(&w, "segments", t->segments);
	json_writer_count(&w, "sealed", t->sealed);
	json_writer_count(&w, "live", t->live);
	json_writer_count(&w, "orphaned", t->orphaned);
	json_writer_count(&w, "left_out", t->unsound);
	json_writer_count(&w, "exchanges", t->exchanges);
	json_writer_count(&w, "legs", t->legs);
	json_writer_count(&w, "parts", t->parts);
	json_writer_count(&w, "damaged", t->damaged);
	json_writer_count(&w, "missing", t->missing);
	json_writer_count(&w, "dangling", t->dangling);
	json_writer_open(&w, "findings", '[');
	json_writer_raw(&w, NULL, buf_span(&v->json_findings));
	json_writer_close(&w, "]}");
	puts(buf_cstr(&text));
	buf_finish(&text);
}

static void print_totals(const struct verification *v)
{
	const struct verifier_figures *t = &v->total;
	if (v->json) {
		print_json(v);
		return;
	}
	if (v->findings) {
		printf("damage: unreadable segments %" PRIu64 ", damaged records %" PRIu64
		       ", missing records %" PRIu64 "\n",
		        t->unsound, t->damaged, t->missing);
	} else {
		puts("no damage");
	}
	const struct {
		uint64_t n;
		const char *what;
	} states[] = {{t->sealed, "sealed"}, {t->live, "being written"},
	        {t->orphaned, "left by a killed writer"}};
	const char *before = " (";
	printf("segment files: %" PRIu64, t->segments);
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		if (states[i].n > 0) {
			printf("%s%" PRIu64 " %s", before, states[i].n, states[i].what);
			before = ", ";
		}
	}
	puts(*before == ',' ? ")" : "");
	printf("records: %" PRIu64 " %s, %" PRIu64 " %s, %" PRIu64 " %s\n", t->exchanges,
	        plural(t->exchanges, "exchange", "exchanges"), t->legs,
	        plural(t->legs, "answer", "answers"), t->parts, plural(t->parts, "part", "parts"));
	if (t->dangling) {
		printf("parts of unfinished exchanges: %" PRIu64 "\n", t->dangling);
	}
}

/* code: of the verification so far. */
static int end_salvage(struct verification *v, const char *to, int code)
{
	int r = salvage_end(v->salvage);
	if (r < 0) {
		fprintf(stderr, "plumbline capture: %s could not be written: %s\n", to,
		        strerror(-r));
	} else if (code != EXIT_PASS) {
		fprintf(stderr,
		        "plumbline capture: %s is not complete (%" PRIu64
		        " rows): delete it, and run the command again\n",
		        to, salvage_rows(v->salvage));
	} else {
		fprintf(stderr,
		        "plumbline capture: copied %" PRIu64 " intact rows to %s; use it instead\n",
		        salvage_rows(v->salvage), to);
	}
	salvage_destroy(v->salvage);
	return r < 0 ? EXIT_RUNTIME : EXIT_PASS;
}

static int verify(const char *const *dirs, size_t n_dirs, const char *salvage_to, bool json)
{
	struct verification v = {.json = json, .progress.what = "rows checked"};
	if (salvage_to) {
		char *error = NULL;
		if (salvage_create(salvage_to, dirs[0], &v.salvage, &error) < 0) {
			return verb_fail("capture", EXIT_USAGE, error);
		}
	}
	int code = EXIT_PASS;
	for (size_t i = 0; i < n_dirs && code == EXIT_PASS; i++) {
		code = verify_dir(&v, dirs[i]);
	}
	progress_count_end(&v.progress);
	if (salvage_to) {
		int ended = end_salvage(&v, salvage_to, code);
		code = code == EXIT_PASS ? ended : code;
	}
	if (code == EXIT_PASS) {
		print_totals(&v);
		code = v.findings ? EXIT_DIFFERENCE : EXIT_PASS;
	}
	buf_finish(&v.json_findings);
	return verb_flush("capture", code);
}

struct verify {
	bool json;
	const char *salvage_to;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"json", 0, NULL, "print one JSON object instead of lines", OPT_BOOL(struct verify, json)},
        {"salvage", 0, "NEWDIR",
                "copy each intact record to a new capture, also from segments that other commands "
                "skip; DIR stays as it is",
                OPT_TEXT(struct verify, salvage_to)},
        OPT_END,
};

static const struct verb VERIFY = {
        .name = "capture verify",
        .usage = "DIR... [options]",
        .about =
                "Checks the seal and the pages of each segment, the checksum and the form of each "
                "record, that no part of a row is missing, and that log and indexes agree with the "
                "rows. Names each damaged record, says whether there is damage, and prints totals.",
        .options = OPTIONS,
        .notes = "Parts without a row are not damage: a crash leaves them behind for unfinished "
                 "exchanges, and all commands skip them.",
        .examples = "plumbline capture verify capture\n"
                    "plumbline capture verify --salvage rescued capture",
        .exit_codes = "0 no damage, 1 damage, 2 command line or not a capture, "
                      "3 a file cannot be read or written",
};

int command_capture_verify(int argc, char **argv)
{
	struct verify o = {0};
	struct operands dirs;
	int code;
	if (!verb_read_dirs(&VERIFY, argc, argv, &o, &dirs, &code)) {
		return code;
	}
	return verify(dirs.words, dirs.n, o.salvage_to, o.json);
}
