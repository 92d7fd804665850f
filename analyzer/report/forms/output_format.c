#include "analyzer/report/forms/output_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/report/forms/html.h"
#include "analyzer/report/forms/junit.h"
#include "analyzer/report/screen/summary.h"

static void write_json(const json_t *document, FILE *to)
{
	/* Indents JSON for people. A document with exhibits is for machines and is not indented,
	 * because two thirds of it would be white space. */
	bool shows = json_is_object(json_object_get(document, "exhibits"));
	json_dumpf(document, to, shows ? JSON_COMPACT : JSON_INDENT(2));
	fputc('\n', to);
}

static bool is_change(const json_t *document)
{
	return json_object_get(document, "plumbline_change");
}

static void write_summary(const json_t *document, enum writer_form form, FILE *to)
{
	struct writer w;
	writer_begin(&w, form, to);
	if (is_change(document)) {
		summary_of_change(document, &w);
	} else {
		summary_of_analysis(document, &w);
	}
	writer_end(&w);
}

static void write_text(const json_t *document, FILE *to)
{
	write_summary(document, WRITER_TEXT, to);
}

static void write_markdown(const json_t *document, FILE *to)
{
	write_summary(document, WRITER_MARKDOWN, to);
}

static const struct {
	const char *end;
	void (*write)(const json_t *document, FILE *to);
	bool of_change; /* also available for the comparison of two analyses */
} FORMS[N_FORMS] = {
        [OUTPUT_FORMAT_JSON] = {".json", write_json, true},
        [OUTPUT_FORMAT_HTML] = {".html", html_write, false},
        [OUTPUT_FORMAT_MARKDOWN] = {".md", write_markdown, true},
        [OUTPUT_FORMAT_JUNIT] = {".xml", junit_write, false},
        [OUTPUT_FORMAT_TEXT] = {".txt", write_text, true},
};

bool output_format_of_path(const char *path, enum output_format *ret)
{
	size_t len = strlen(path);
	for (size_t i = 0; i < N_FORMS; i++) {
		size_t end = strlen(FORMS[i].end);
		if (len > end && strcmp(path + len - end, FORMS[i].end) == 0) {
			*ret = (enum output_format)i;
			return true;
		}
	}
	return false;
}

bool output_format_is_of_change(enum output_format form)
{
	return FORMS[form].of_change;
}

const char *output_format_ends(void)
{
	return ".json, .html, .md, .txt or .xml";
}

void output_format_write(enum output_format form, const json_t *document, FILE *to)
{
	expect(!is_change(document) || output_format_is_of_change(form));
	FORMS[form].write(document, to);
}

void output_format_print(const json_t *document, bool full, FILE *to)
{
	struct writer w;
	if (full) {
		output_format_write(OUTPUT_FORMAT_TEXT, document, to);
		return;
	}
	writer_begin(&w, WRITER_TEXT, to);
	if (is_change(document)) {
		summary_change_screen(document, true, &w);
	} else {
		summary_screen(document, true, &w);
	}
	writer_end(&w);
}

/* Returns 0, or -errno of the first error. */
static int close_written(FILE *to)
{
	bool bad = fflush(to) != 0 || ferror(to) || fsync(fileno(to)) < 0;
	int error = bad ? errno : 0;
	if (fclose(to) != 0 && !error) {
		error = errno;
	}
	return bad && !error ? -EIO : -error;
}

int output_format_save(
        enum output_format form, const json_t *document, const char *path, mode_t mode)
{
	char *fresh = xasprintf("%s.%ld", path, (long)getpid());
	int r = 0;
	int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!to) {
		r = -errno;
	} else {
		output_format_write(form, document, to);
		r = close_written(to);
		if (r == 0 && rename(fresh, path) < 0) {
			r = -errno;
		}
		if (r < 0) {
			unlink(fresh);
		}
	}
	free(fresh);
	return r;
}
