#include "cli/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/shell.h"
#include "capture/marker.h"
#include "cli/progress_count.h"
#include "cli/verb.h"

size_t input_warn(const char *command, const struct capture *c)
{
	const char *const *sentences;
	size_t n = capture_problems(c, &sentences);
	verb_warn(command, sentences, n);
	return n;
}

static void on_segment(void *arg, size_t n_checked, size_t n_segments)
{
	progress_count_now(arg, n_checked);
}

struct capture *input_open(
        const char *command, const char *const *dirs, size_t n_dirs, int *ret_code)
{
	char *error = NULL;
	struct progress_count progress = {.what = "segments checked"};
	struct capture *c = capture_open_watched(dirs, n_dirs, on_segment, &progress, &error);
	progress_count_end(&progress);
	if (!c) {
		fprintf(stderr, "plumbline %s: %s\n", command, error);
		free(error);
		*ret_code = EXIT_USAGE;
	}
	return c;
}

int input_check(const char *dir)
{
	char *error = NULL;
	struct marker marker;
	int r = marker_read(dir, &marker, &error);
	int code = r == -EACCES || r == -EIO ? EXIT_RUNTIME : EXIT_USAGE;
	return r < 0 ? verb_fail("capture", code, error) : EXIT_PASS;
}

char *input_words(const struct capture *c)
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

int input_close(const char *command, struct capture *c, int code)
{
	struct capture_figures figures;
	capture_figures(c, &figures);
	size_t n = input_warn(command, c);
	if (figures.damaged_rows) {
		char *words = input_words(c);
		fprintf(stderr,
		        "plumbline %s: %" PRIu64
		        " damaged rows were skipped; `plumbline capture verify %s` names them\n",
		        command, figures.damaged_rows, words);
		free(words);
	}
	capture_close(c);
	return n || figures.damaged_rows ? EXIT_RUNTIME : code;
}

int input_empty(
        const char *command, const struct capture *c, const char *const *dirs, size_t n_dirs)
{
	struct capture_figures figures;
	capture_figures(c, &figures);
	if (figures.refused) {
		return EXIT_RUNTIME;
	}
	fprintf(stderr, "plumbline %s: %s%s no exchange yet\n", command, dirs[0],
	        n_dirs > 1 ? " and the other directories have" : " has");
	return EXIT_NOT_ENOUGH;
}
