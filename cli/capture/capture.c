#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "capture/marker.h"
#include "cli/capture/capture_verbs.h"

#define SECOND_NS 1000000000ULL

static const struct command VERBS[] = {
        {"ls", "list the exchanges of a capture", command_capture_ls},
        {"show", "show one exchange: its answers, and where they differ", command_capture_show},
        {"verify", "check every record; recover what a damaged capture still holds",
                command_capture_verify},
        {"export", "write a capture in the form of another tool", command_capture_export},
        {"prune", "delete what is old, or too much", command_capture_prune},
        {"scrub", "copy a capture without its texts", command_capture_scrub},
        {"merge", "join captures into one directory", command_capture_merge},
        {"compact", "write a capture again, in fewer and smaller segments",
                command_capture_compact},
        {"reread", "read answers again that nothing or another version has read",
                command_capture_reread},
        {0},
};

static void usage(FILE *to)
{
	fputs("usage: plumbline capture VERB DIR... [options]\n"
	      "\n"
	      "Lists, shows, checks, exports and rewrites what was recorded.\n"
	      "\n"
	      "verbs:\n",
	        to);
	for (const struct command *v = VERBS; v->name; v++) {
		fprintf(to, "  %-8s %s\n", v->name, v->summary);
	}
	fputs("\n"
	      "  plumbline help capture VERB    options and examples of a verb\n"
	      "\n"
	      "A capture is a directory that plumbline proxy, a replay or a recipe such as\n"
	      "plumbline compare wrote. ls, show, verify and export can read it while it is\n"
	      "written.\n"
	      "\n"
	      "examples:\n"
	      "  plumbline capture ls capture\n"
	      "  plumbline capture show capture last\n"
	      "\n"
	      "exit codes: 0 done, 1 damage found, 2 command line or not a capture, 3 something\n"
	      "could not be read or written, 4 there is no exchange\n",
	        to);
}

int command_capture(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		usage(stdout);
		return EXIT_PASS;
	}
	for (const struct command *v = VERBS; v->name; v++) {
		if (strcmp(v->name, argv[1]) == 0) {
			return v->run(argc - 1, argv + 1);
		}
	}
	const char *near = commands_nearest(VERBS, argv[1]);
	fprintf(stderr, "plumbline capture: there is no verb %.60s%s", argv[1],
	        near ? did_you_mean("", near).text : "; it is one of");
	for (const struct command *v = VERBS; v->name && !near; v++) {
		fprintf(stderr, "%s %s", v == VERBS ? "" : ",", v->name);
	}
	fputc('\n', stderr);
	return EXIT_USAGE;
}

bool verbs_read(
        const struct verb *v, int argc, char **argv, void *to, struct operands *ret, int *ret_code)
{
	if (!commands_read(v, argc, argv, to, ret, ret_code)) {
		return false;
	}
	if (ret->n == 0) {
		*ret_code = commands_usage(v, xstrdup("the capture's directory is missing"));
	}
	return ret->n > 0;
}

static size_t say_problems(const struct capture *c, size_t from)
{
	const char *const *sentences;
	size_t n = capture_problems(c, &sentences);
	for (size_t i = from; i < n; i++) {
		fprintf(stderr, "plumbline capture: %s\n", sentences[i]);
	}
	return n;
}

static void on_segment(void *arg, size_t n_checked, size_t n_segments)
{
	verbs_progress_now(arg, n_checked);
}

struct capture *verbs_open(const char *const *dirs, size_t n_dirs, int *ret_code)
{
	char *error = NULL;
	struct verbs_progress progress = {.what = "segments checked"};
	struct capture *c = capture_open_watched(dirs, n_dirs, on_segment, &progress, &error);
	verbs_progress_end(&progress);
	if (!c) {
		fprintf(stderr, "plumbline capture: %s\n", error);
		free(error);
		*ret_code = EXIT_USAGE;
	}
	return c;
}

int verbs_check(const char *dir)
{
	char *error = NULL;
	struct marker marker;
	int r = marker_read(dir, &marker, &error);
	int code = r == -EACCES || r == -EIO ? EXIT_RUNTIME : EXIT_USAGE;
	return r < 0 ? commands_fail("capture", code, error) : EXIT_PASS;
}

char *verbs_dirs(const struct capture *c)
{
	struct buf words = {0};
	const char *const *dirs;
	size_t n = capture_dirs(c, &dirs);
	for (size_t i = 0; i < n; i++) {
		buf_append_str(&words, i ? " " : "");
		shell_put_path(&words, dirs[i]);
	}
	return buf_steal(&words);
}

int verbs_close(struct capture *c, int code)
{
	struct capture_figures figures;
	capture_figures(c, &figures);
	size_t n = say_problems(c, 0);
	if (figures.damaged_rows) {
		char *words = verbs_dirs(c);
		fprintf(stderr,
		        "plumbline capture: %" PRIu64
		        " damaged rows were skipped; `plumbline capture verify %s` names them\n",
		        figures.damaged_rows, words);
		free(words);
	}
	capture_close(c);
	return n || figures.damaged_rows ? EXIT_RUNTIME : code;
}

int verbs_empty(const struct capture *c, const char *const *dirs, size_t n_dirs)
{
	struct capture_figures figures;
	capture_figures(c, &figures);
	if (figures.refused) {
		return EXIT_RUNTIME;
	}
	fprintf(stderr, "plumbline capture: %s%s no exchange yet\n", dirs[0],
	        n_dirs > 1 ? " and the other directories hold" : " holds");
	return EXIT_NOT_ENOUGH;
}

void verbs_put_text(struct buf *to, struct span text, size_t limit)
{
	const char *p = text.data, *end = p + text.len;
	for (size_t n = 0; p < end; n++) {
		if (n + 1 == limit && end - p > 1) {
			buf_append_str(to, "…");
			return;
		}
		size_t length = utf8_length(p, end);
		/* C0, DEL, and C1 (U+0080 to U+009F) would act on the terminal. */
		bool control = (uint8_t)*p < 0x20 || *p == 0x7f ||
		               (length == 2 && (uint8_t)p[0] == 0xc2 && (uint8_t)p[1] < 0xa0);
		if (length == 0 || control) {
			buf_append_char(to, length == 0 ? '?' : ' ');
			p += length ? length : 1;
		} else {
			buf_append(to, p, length);
			p += length;
		}
	}
}

void verbs_put_time(struct buf *to, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / SECOND_NS);
	struct tm tm;
	char text[64];
	if (!gmtime_r(&seconds, &tm) ||
	        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0) {
		buf_append_str(to, "?");
		return;
	}
	buf_printf(to, "%s.%03uZ", text, (unsigned)(wall_ns % SECOND_NS / 1000000));
}

static const char *name_of(const char *const *names, size_t n, unsigned bit)
{
	return bit < n ? names[bit] : NULL;
}

const char *verbs_exchange_mark(unsigned bit)
{
	static const char *const names[] = {"truncated", "body_cut"};
	return name_of(names, ARRAY_LEN(names), bit);
}

const char *verbs_leg_mark(unsigned bit)
{
	static const char *const names[] = {"injected_logprobs", "injected_usage",
	        "injection_refused", "unread", "truncated", "retried", "uncut", "scored", "dropped",
	        "imported", "judging", "grading", "written_out", "given_prompt", "prompt_differs",
	        "injected_token_ids", "audited"};
	return name_of(names, ARRAY_LEN(names), bit);
}

const char *verbs_reading_mark(unsigned bit)
{
	static const char *const names[] = {"not_json", "no_done", "cut", "tokens_misspell",
	        "logprobs_missing", "non_finite", "error_body", "too_large", "encoded",
	        "lossy_tokens", "malformed_logprobs", "zero_logprobs", "not_read", "thought_open",
	        "keyless_tokens", "bad_vector", "sampled_probs", "positive_logprobs", "empty",
	        "aborted", "unknown_finish", "unknown_members", "contradictory_usage"};
	return name_of(names, ARRAY_LEN(names), bit);
}

const char *verbs_content(enum content c)
{
	switch (c) {
	case CONTENT_FULL:
		return "full";
	case CONTENT_REDACTED:
		return "redacted";
	case CONTENT_METADATA:
		return "metadata";
	}
	return NULL;
}

void verbs_progress(struct verbs_progress *p, uint64_t n)
{
	/* Reading the clock is cheap, but not cheap enough to do for every row. */
	if (n % 256 == 0) {
		verbs_progress_now(p, n);
	}
}

void verbs_progress_now(struct verbs_progress *p, uint64_t n)
{
	uint64_t now = clock_mono();
	if (!p->begun_ns) {
		p->begun_ns = now;
		progress_begin(&p->progress);
	}
	if (now - p->begun_ns >= SECOND_NS && progress_is_due(&p->progress, now)) {
		progress_message(&p->progress, "%" PRIu64 " %s", n, p->what);
	}
}

void verbs_progress_end(struct verbs_progress *p)
{
	progress_clear(&p->progress);
}
