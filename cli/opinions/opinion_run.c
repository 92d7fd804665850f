#include "cli/opinions/opinion_run.h"

#include <inttypes.h>

#include "base/plural.h"
#include "base/shell.h"
#include "capture/capture_meta.h"
#include "cli/input.h"
#include "cli/verb.h"

#define REASONS_SHOWN 3

int opinion_run_open(struct opinion_run *r)
{
	const char *dirs[] = {r->dir, r->to};
	uint8_t key[32];
	char *error = NULL;
	bool is_two = r->to && capture_hash_key(r->to, key);
	r->capture = capture_open(dirs, is_two ? 2 : 1, &error);
	if (!r->capture) {
		return verb_fail(r->verb, EXIT_USAGE, error);
	}
	(void)input_warn(r->verb, r->capture);
	return EXIT_PASS;
}

int opinion_run_begin_segment(struct opinion_run *r, const char *settings, const char *book)
{
	uint8_t key[32];
	bool has_key = capture_hash_key(r->dir, key);
	char *error = recording_open(
	        &r->recording, r->to ? r->to : r->dir, has_key ? key : NULL, settings, book);
	return error ? verb_fail(r->verb, EXIT_RUNTIME, error) : EXIT_PASS;
}

int opinion_run_end_segment(struct opinion_run *r, char *error)
{
	r->lost = recording_close(&r->recording);
	return error ? verb_fail(r->verb, EXIT_RUNTIME, error) : EXIT_PASS;
}

void opinion_run_close(struct opinion_run *r)
{
	capture_close(r->capture);
}

bool opinion_run_is_unfinished(const struct opinion_run *r, const struct annotator_tally *t)
{
	return t->gone || t->stopped || t->failed.total > 0 || r->lost > 0;
}

void opinion_run_print_time(const struct annotator_tally *t, FILE *to)
{
	if (t->seconds > 0) {
		fprintf(to, " in %" PRIu64 " s", t->seconds);
	}
}

void opinion_run_print_reasons(
        const struct error_tally *r, const char *noun, const char *what, FILE *to)
{
	uint64_t others = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (i >= REASONS_SHOWN) {
			others += r->items[i].n;
			continue;
		}
		fprintf(to, "%" PRIu64 " %s%s %s: %s\n", r->items[i].n, noun,
		        plural(r->items[i].n, "", "s"), what, r->items[i].why);
	}
	if (others > 0) {
		fprintf(to, "%" PRIu64 " more %s%s %s for other reasons (--json has them)\n",
		        others, noun, plural(others, "", "s"), what);
	}
}

void opinion_run_print_end(const struct opinion_run *r, const struct annotator_tally *t,
        const char *one, const char *many, FILE *to)
{
	if (r->lost > 0) {
		fprintf(to, "%" PRIu64 " %s could not be written to the capture.\n", r->lost,
		        plural(r->lost, one, many));
	}
	if (opinion_run_is_unfinished(r, t)) {
		fprintf(to, "%s%sThe %s so far are recorded; run the same command to continue.\n",
		        t->gone ? "The engine can no longer be reached. " : "",
		        t->stopped ? "Stopped. " : "", many);
	}
}

static void put_side(struct buf *to, const char *option, const char *name)
{
	if (name) {
		buf_append_str(to, option);
		shell_put_word(to, name);
	}
}

void opinion_run_print_command(
        const char *dir, const char *to, const char *base, const char *test, FILE *out)
{
	struct buf words = {0};
	uint8_t key[32];
	shell_put_path(&words, dir);
	/* Nothing is recorded in `to` if there was nothing to do. */
	if (to && capture_hash_key(to, key)) {
		buf_append_char(&words, ' ');
		shell_put_path(&words, to);
	}
	put_side(&words, " --base ", base);
	put_side(&words, " --test ", test);
	fprintf(out, "See the figures: plumbline analyze %s\n", buf_cstr(&words));
	buf_finish(&words);
}

void opinion_run_print_json(struct json_writer *w, FILE *to)
{
	json_writer_close(w, "}");
	fprintf(to, "%s\n", buf_cstr(w->to));
	buf_finish(w->to);
}
