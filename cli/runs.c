/*
 * plumbline runs - lists the captures that recipes and replays wrote.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyzer/report/node.h"
#include "base/mem.h"
#include "base/moment.h"
#include "base/shell.h"
#include "capture/capture_meta.h"
#include "capture/record_json.h"
#include "capture/marker.h"
#include "cli/verb.h"
#include "cli/commands.h"
#include "cli/written.h"
#include "cli/run_verdict.h"

#define ROW "%-16.16s  %-11s  %-9s  %s\n" /* of the date only the minutes */

struct run {
	char *dir;
	uint64_t begun_ns; /* when its newest segment was begun */
	char *recipe;      /* "compare", "replay" */
	json_t *targets;   /* their names */
	const char *verdict;
	uint64_t bytes;
	enum content content; /* 0: no exchange yet */
};

struct run_list {
	struct run *items;
	size_t n;
};

static void finish(struct run *r)
{
	free(r->dir);
	free(r->recipe);
	json_decref(r->targets);
}

static json_t *names_of(const json_t *settings)
{
	const json_t *all = json_object_get(settings, "references");
	json_t *names = json_array();
	for (size_t i = 0; i < json_array_size(all); i++) {
		json_array_append_new(
		        names, json_string(node_text(json_array_get(all, i), "name")));
	}
	if (!all) { /* a replay to one target */
		const json_t *replay = json_object_get(settings, "replay");
		json_array_append_new(names, json_string(node_text(replay, "name")));
	}
	return names;
}

/* Adds the names that the list lacks. */
static void add_names(json_t *to, const json_t *names)
{
	NODE_EACH(name, names) {
		size_t k = 0;
		while (k < json_array_size(to) && !json_equal(json_array_get(to, k), name)) {
			k++;
		}
		if (k == json_array_size(to)) {
			json_array_append(to, name);
		}
	}
}

/* Takes recipe and targets from the segment's meta row. A recipe's capture stays that of the recipe
 * after a replay to further targets, as the recipe's report proposes it. */
static void take_meta(struct run *r, const struct meta_row *row)
{
	json_t *settings = row->settings ? json_loads(row->settings, 0, NULL) : NULL;
	const char *campaign = node_text(json_object_get(settings, "campaign"), "command");
	bool replay = json_is_object(json_object_get(settings, "replay"));
	if ((*campaign || replay) && row->created_ns >= r->begun_ns) {
		json_t *names = names_of(settings);
		if (!r->recipe || *campaign || strcmp(r->recipe, "replay") == 0) {
			free(r->recipe);
			json_decref(r->targets);
			r->recipe = xstrdup(*campaign ? campaign : "replay");
			r->targets = json_incref(names);
		} else {
			add_names(r->targets, names);
		}
		r->begun_ns = row->created_ns;
		json_decref(names);
	}
	json_decref(settings);
}

/* False: no recipe and no replay wrote to this directory. */
static bool read_run(const char *dir, struct run *ret)
{
	char *error = NULL;
	struct meta_row row;
	int code;
	*ret = (struct run){.dir = xstrdup(dir)};
	struct capture *c = marker_exists(dir) ? capture_open(&dir, 1, &error) : NULL;
	for (size_t i = 0; c && (code = capture_meta(c, i, &row)) != -ENOENT; i++) {
		if (code == 0) {
			take_meta(ret, &row);
			meta_row_finish(&row);
		}
	}
	if (error) {
		fprintf(stderr, "plumbline runs: %s\n", error);
	}
	if (ret->recipe) {
		ret->verdict = run_verdict_read(dir);
		ret->bytes = written_size(dir);
		ret->content = written_content(c);
	} else {
		finish(ret);
	}
	capture_close(c);
	free(error);
	return ret->recipe;
}

/* The newest first. */
static int by_age(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	return x->begun_ns != y->begun_ns
	               ? (x->begun_ns < y->begun_ns) - (x->begun_ns > y->begun_ns)
	               : strcmp(x->dir, y->dir);
}

/* Returns 0 or -errno. */
static int read_runs(const char *place, struct run_list *ret)
{
	DIR *dir = opendir(place);
	if (!dir) {
		return -errno;
	}
	for (const struct dirent *e; (e = readdir(dir));) {
		bool is_place = strcmp(e->d_name, ".") == 0;
		char *path = is_place                  ? xstrdup(place)
		             : strcmp(place, ".") == 0 ? xstrdup(e->d_name)
		                                       : xasprintf("%s/%s", place, e->d_name);
		struct run one;
		if (strcmp(e->d_name, "..") != 0 && read_run(path, &one)) {
			ret->items = xrealloc(ret->items, (ret->n + 1) * sizeof(*ret->items));
			ret->items[ret->n++] = one;
		}
		free(path);
	}
	closedir(dir);
	if (ret->n > 0) {
		qsort(ret->items, ret->n, sizeof(*ret->items), by_age);
	}
	return 0;
}

static void put_text(struct buf *to, const struct run *r)
{
	char moment[MOMENT_TEXT_SIZE];
	char *dir = shell_path(r->dir);
	buf_printf(to, ROW, moment_format(r->begun_ns, moment), r->recipe, r->verdict, dir);
	free(dir);
}

static void put_json(struct buf *to, const struct run *r)
{
	char moment[MOMENT_TEXT_SIZE];
	bool has_verdict = strcmp(r->verdict, "-") != 0;
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	record_json_text(&w, "dir", r->dir);
	json_writer_text(&w, "date", moment_format(r->begun_ns, moment));
	record_json_text(&w, "recipe", r->recipe);
	char *targets = json_dumps(r->targets, JSON_COMPACT);
	json_writer_raw(&w, "targets", span_of(targets));
	free(targets);
	record_json_text(&w, "verdict", has_verdict ? r->verdict : NULL);
	json_writer_count(&w, "bytes", r->bytes);
	json_writer_text(&w, "content", r->content ? content_name(r->content) : NULL);
	json_writer_close(&w, "}");
	buf_append_char(to, '\n');
}

static void list(const struct run_list *l, bool json)
{
	struct buf text = {0};
	if (!json) {
		buf_printf(&text, ROW, "DATE", "RECIPE", "VERDICT", "DIRECTORY");
	}
	for (size_t i = 0; i < l->n; i++) {
		(json ? put_json : put_text)(&text, &l->items[i]);
	}
	fwrite(text.data, 1, text.len, stdout);
	buf_finish(&text);
	if (!json) {
		char *newest = shell_path(l->items[0].dir);
		printf("To analyze the newest:\n  plumbline analyze %s\n", newest);
		free(newest);
	}
}

struct runs_options {
	bool json;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "look for captures in this directory (the current one)"),
        {"json", 0, NULL, "print one JSON object a line", OPT_BOOL(struct runs_options, json)},
        OPT_END,
};

static const struct verb RUNS = {
        .name = "runs",
        .usage = "[DIR] [options]",
        .about = "Lists the captures in a directory that recipes (compare, diff, sweep, …) and "
                 "replays wrote, newest first: date, recipe and verdict. The date is that of the "
                 "last start, or later: when a new file began because one was full. --json prints "
                 "more: size, targets, and content, which says whether the texts of prompts and "
                 "answers were kept (full, redacted or metadata). Replays and interrupted recipes "
                 "have no verdict; plumbline analyze gives one. plumbline capture ls --runs lists "
                 "the runs within a capture.",
        .options = OPTIONS,
        .examples = "plumbline runs\n"
                    "plumbline runs ~/measurements\n"
                    "plumbline runs --json | jq -r 'select(.verdict == \"DIFFERENT\") | .dir'",
        .exit_codes = "0 listed, 2 command line, 3 the directory can't be read, 4 there is none",
};

int command_runs(int argc, char **argv)
{
	struct runs_options o = {0};
	struct operands rest;
	struct run_list l = {0};
	int code;
	if (!verb_read(&RUNS, argc, argv, &o, &rest, &code)) {
		return code;
	}
	if (rest.n > 1) {
		return verb_usage(&RUNS,
		        xasprintf("give only one directory, not also %.200s", rest.words[1]));
	}
	const char *place = rest.n ? rest.words[0] : ".";
	int r = read_runs(place, &l);
	if (r < 0) {
		return verb_fail("runs", EXIT_RUNTIME,
		        xasprintf("%s can't be read: %s", place, strerror(-r)));
	}
	if (l.n > 0) {
		list(&l, o.json);
	} else {
		fprintf(stderr,
		        "plumbline runs: there is no capture of a recipe or a replay in %s\n",
		        place);
	}
	for (size_t i = 0; i < l.n; i++) {
		finish(&l.items[i]);
	}
	free(l.items);
	return verb_flush("runs", l.n > 0 ? EXIT_PASS : EXIT_NOT_ENOUGH);
}
