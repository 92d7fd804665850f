/*
 * plumbline import - turns result files of other tools into a capture.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/import_summary.h"
#include "base/interrupt.h"
#include "base/options.h"
#include "base/progress.h"
#include "capture/formats/file_facts.h"
#include "capture/formats/input_formats.h"
#include "capture/formats/plain_file.h"

#define BAD_SHOWN 20 /* bad lines that are reported one by one */

struct options {
	const char *to, *base, *requests, *format_name;
	const struct input_format *format;
	bool json;
	char **files; /* owned */
	size_t n_files;
};

static void list_formats(FILE *to)
{
	size_t n;
	const struct input_format *const *all = input_formats(&n);
	fputs("\nformats:\n", to);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->answers) {
			options_help_line(to, all[i]->name, all[i]->answers);
		}
	}
}

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("[NAME=]FILE",
                "a file of results; NAME names the backend that gave its answers, where the file "
                "does not"),
        {"to", 0, "DIR", "the capture; created if it does not exist", OPT_TEXT(struct options, to)},
        {"format", 0, "NAME", "the format of the files (recognised by their contents)",
                OPT_TEXT(struct options, format_name)},
        {"base", 0, "NAME",
                "compare all other backends with this one; default: as the files say, or the "
                "first file's",
                OPT_TEXT(struct options, base)},
        {"requests", 0, "FILE",
                "the input of an OpenAI batch, with the requests to the answers in the files",
                OPT_TEXT(struct options, requests)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct options, json)},
        OPT_END,
};

static const struct verb IMPORT = {
        .name = "import",
        .usage = "[NAME=]FILE... --to DIR [options]",
        .about = "Makes a capture from files of results, so that plumbline analyze can compare "
                 "answers that already exist. The same prompt in several files is one exchange, "
                 "with the answer of each backend. Answers that are already in the capture are not "
                 "added again.",
        .options = OPTIONS,
        .list = list_formats,
        .examples = "plumbline import results/sweep/sweep.json --to capture\n"
                    "plumbline import vllm=a/samples_gsm8k_*.jsonl \\\n"
                    "    ollama=b/samples_gsm8k_*.jsonl --to capture\n"
                    "plumbline import vllm=a.har ollama=b.har --to capture\n"
                    "plumbline import openai=output.jsonl --requests input.jsonl --to capture\n"
                    "plumbline analyze capture",
        .exit_codes = "0 imported, 1 some lines are damaged (the others are imported), 2 command "
                      "line or an unknown format, 3 a file can't be read or the capture can't be "
                      "written, 4 there was no answer to import",
};

static char *unknown_format(const char *name)
{
	struct buf text = {0};
	size_t n;
	const struct input_format *const *all = input_formats(&n);
	buf_printf(&text, "there is no format %.60s; the formats are:", name);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->answers) {
			buf_printf(&text, "%s %s", i ? "," : "", all[i]->name);
		}
	}
	return buf_steal(&text);
}

/* Splits "NAME=FILE". A file whose own name contains a '=' is taken as it is. */
static const char *split_name(const char *word, struct span *ret_name)
{
	const char *equals = strchr(word, '=');
	if (!equals || equals == word || access(word, F_OK) == 0) {
		*ret_name = (struct span){0};
		return word;
	}
	*ret_name = (struct span){word, (size_t)(equals - word)};
	return equals + 1;
}

/* Expands a pattern after NAME=, because the shell does not. */
static void expand(const struct operands *files, struct options *ret)
{
	for (size_t i = 0; i < files->n; i++) {
		struct span name;
		const char *path = split_name(files->words[i], &name);
		glob_t found = {0};
		bool matches =
		        name.len && access(path, F_OK) != 0 && glob(path, 0, NULL, &found) == 0;
		size_t each = matches ? found.gl_pathc : 1;
		ret->files = xrealloc(ret->files, (ret->n_files + each) * sizeof(*ret->files));
		for (size_t k = 0; k < each; k++) {
			ret->files[ret->n_files++] = matches ? xasprintf("%.*s=%s", (int)name.len,
			                                               name.data, found.gl_pathv[k])
			                                     : xstrdup(files->words[i]);
		}
		globfree(&found);
	}
}

/* NULL, or the problem. */
static char *settle(const struct operands *files, struct options *o)
{
	expand(files, o);
	o->format = o->format_name ? input_format_find(o->format_name) : NULL;
	if (o->format_name && !o->format) {
		return unknown_format(o->format_name);
	}
	if (o->n_files == 0) {
		return xstrdup("no file is given: name at least one");
	}
	return o->to ? NULL : xstrdup("no capture is given: add --to DIR");
}

/* One import in progress. */
struct job {
	const struct options *o;
	struct import_store *store;
	struct import_summary summary;
	const struct input_format **formats; /* of the files */
	struct format_file file;             /* the present one */
	FILE *requests;                      /* or NULL */
	const char *path;
	char *first_backend; /* the first one that a command line or a path named */
	uint64_t elements;
	struct progress progress;
};

static void on_bad(void *arg, uint64_t line, const char *why)
{
	struct job *j = arg;
	if (j->summary.n_bad++ < BAD_SHOWN) {
		progress_clear(&j->progress);
		fprintf(stderr, "%s:%" PRIu64 ": %s\n", j->path, line, why);
	} else {
		error_tally_add(&j->summary.bad, why);
	}
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	struct job *j = arg;
	if (line) {
		error_tally_add_at(&j->summary.unfit, j->path, line, why);
	} else {
		error_tally_add(&j->summary.unfit, why);
	}
}

static void on_note(void *arg, const char *why)
{
	struct job *j = arg;
	error_tally_add(&j->summary.notes, why);
}

static void take_answer(void *arg, const struct imported_answer *a)
{
	struct job *j = arg;
	const char *why;
	if (import_store_add(j->store, a, &why) == IMPORT_STORE_REFUSED) {
		on_bad(arg, a->line, why);
	}
}

static void show_progress(void *arg)
{
	struct job *j = arg;
	struct stat st;
	j->elements++;
	/* Reading the clock costs more than processing most lines. */
	if (j->elements % 64 || !progress_is_due(&j->progress, clock_mono())) {
		return;
	}
	off_t at = ftello(j->file.file);
	double share = fstat(fileno(j->file.file), &st) == 0 && st.st_size > 0
	                       ? 100.0 * (double)at / (double)st.st_size
	                       : 0;
	progress_message(&j->progress, "%s: %.0f %%, %" PRIu64 " lines or elements", j->path, share,
	        j->elements);
}

static bool is_stopped(void *arg)
{
	struct job *j = arg;
	j->summary.ended_early |= interrupt_caught();
	return j->summary.ended_early;
}

/* Results of a model are in a directory of its name. For a file without a directory, the file's
 * name is the backend's. */
static struct span backend_by_path(const char *path)
{
	struct span whole = span_of(path), file = file_name(whole);
	size_t above = whole.len - file.len;
	struct span directory = file_name((struct span){path, above ? above - 1 : 0});
	bool plain = directory.len == 0 || span_is(directory, ".") || span_is(directory, "..");
	return plain ? file : directory;
}

static void describe_file(struct job *j, FILE *file, struct span name)
{
	struct span backend = name.len ? name : backend_by_path(j->path);
	if (!j->first_backend) {
		j->first_backend = span_dup(backend);
	}
	j->file = (struct format_file){
	        .file = file,
	        .name = file_name(span_of(j->path)),
	        .backend = backend,
	        .role = span_is(backend, j->first_backend) ? ROLE_REFERENCE : ROLE_CANDIDATE,
	        .time_ns = file_time(span_of(j->path), file),
	        .requests = j->requests,
	};
}

/* NULL: it is no regular file; the error has been printed. */
static FILE *open_plain(const char *path)
{
	char *error = NULL;
	FILE *file = plain_file_open(path, &error);
	if (!file) {
		(void)verb_fail("import", EXIT_RUNTIME, error);
	}
	return file;
}

static int import_file(struct job *j, size_t i)
{
	struct span name;
	j->path = split_name(j->o->files[i], &name);
	FILE *file = open_plain(j->path);
	if (!file) {
		return EXIT_RUNTIME;
	}
	const struct format_sink sink = {
	        .answer = take_answer,
	        .bad = on_bad,
	        .unfit = on_unfit,
	        .note = on_note,
	        .progress = show_progress,
	        .stopped = is_stopped,
	        .arg = j,
	};
	describe_file(j, file, name);
	int r = j->formats[i]->read(&j->file, &sink);
	fclose(file);
	return r < 0 ? verb_fail("import", EXIT_RUNTIME,
	                       xasprintf("%s can't be read: %s", j->path, strerror(-r)))
	             : EXIT_PASS;
}

static int check_file(struct job *j, size_t i)
{
	struct span name;
	const char *path = split_name(j->o->files[i], &name);
	FILE *file = open_plain(path);
	if (!file) {
		return EXIT_RUNTIME;
	}
	const struct input_format *f = j->o->format ? j->o->format : input_format_of(file);
	fclose(file);
	j->formats[i] = f;
	if (!f || !f->answers) {
		return verb_fail("import", EXIT_USAGE,
		        xasprintf("the format of %s is not recognised; --help lists the formats; "
		                  "name it with --format",
		                path));
	}
	if (name.len && f->names_backends) {
		return verb_fail("import", EXIT_USAGE,
		        xasprintf("%s names the backends of its answers: leave out %.*s=", path,
		                (int)name.len, name.data));
	}
	return EXIT_PASS;
}

/* Determines the files' formats before anything is written. */
static int check_files(struct job *j)
{
	bool batch = false;
	/* The lines of the requests file are looked up as answers come, which a pipe does not
	 * allow. */
	j->requests = j->o->requests ? open_plain(j->o->requests) : NULL;
	int code = j->o->requests && !j->requests ? EXIT_RUNTIME : EXIT_PASS;
	j->formats = xcalloc(j->o->n_files, sizeof(struct input_format *));
	for (size_t i = 0; i < j->o->n_files && code == EXIT_PASS; i++) {
		code = check_file(j, i);
		batch |= j->formats[i] == &input_format_batch;
	}
	if (code == EXIT_PASS && j->requests && !batch) {
		return verb_fail("import", EXIT_USAGE,
		        xstrdup("--requests needs a file of a batch's output"));
	}
	return code;
}

static char *settings_of(const struct options *o)
{
	struct buf to = {0};
	struct json_writer w = {.to = &to};
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "import", '{');
	json_writer_open(&w, "files", '[');
	for (size_t i = 0; i < o->n_files; i++) {
		json_writer_text(&w, NULL, o->files[i]);
	}
	json_writer_close(&w, "]}}");
	return buf_steal(&to);
}

static int conclude(struct job *j)
{
	const struct import_store_figures *f = &j->summary.figures;
	progress_clear(&j->progress);
	if (j->o->json) {
		import_summary_json(&j->summary);
	} else {
		import_summary_text(&j->summary);
	}
	int code = f->lost || j->summary.ended_early ? EXIT_RUNTIME
	           : f->answers + f->known == 0      ? EXIT_NOT_ENOUGH
	           : j->summary.n_bad                ? EXIT_DIFFERENCE
	                                             : EXIT_PASS;
	return verb_flush("import", code);
}

static int import_all(struct job *j)
{
	const struct options *o = j->o;
	int code = EXIT_PASS;
	char *error = NULL, *settings = settings_of(o);
	struct interrupt interrupt;
	interrupt_begin(&interrupt);
	const struct import_store_settings s = {
	        .dir = o->to, .base = o->base, .settings = settings};
	j->store = import_store_create(&s, &error);
	free(settings);
	if (!j->store) {
		return verb_fail("import", EXIT_RUNTIME, error);
	}
	for (size_t i = 0; i < o->n_files && code == EXIT_PASS && !j->summary.ended_early; i++) {
		code = import_file(j, i);
	}
	import_store_end(j->store, &j->summary.figures);
	interrupt_end(&interrupt);
	int conclude_code = conclude(j);
	return code != EXIT_PASS ? code : conclude_code;
}

static int run(const struct options *o)
{
	struct job j = {.o = o, .summary = {.capture = o->to}};
	progress_begin(&j.progress);
	int code = check_files(&j);
	code = code == EXIT_PASS ? import_all(&j) : code;
	import_summary_finish(&j.summary);
	if (j.requests) {
		fclose(j.requests);
	}
	free(j.first_backend);
	free(j.formats);
	return code;
}

int command_import(int argc, char **argv)
{
	struct options o = {0};
	struct operands files;
	int code;
	if (!verb_read(&IMPORT, argc, argv, &o, &files, &code)) {
		return code;
	}
	char *problem = settle(&files, &o);
	code = problem ? verb_usage(&IMPORT, problem) : run(&o);
	for (size_t i = 0; i < o.n_files; i++) {
		free(o.files[i]);
	}
	free(o.files);
	return code;
}
