#include "analyzer/report/form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/report/html.h"
#include "analyzer/report/junit.h"
#include "analyzer/report/summary.h"

static void write_json(const json_t *document, FILE *to)
{
	/* Indents JSON for people. A document with exhibits is for machines and is not indented,
	 * because indentation would be two thirds of it. */
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
        [FORM_JSON] = {".json", write_json, true},
        [FORM_HTML] = {".html", html_write, false},
        [FORM_MARKDOWN] = {".md", write_markdown, true},
        [FORM_JUNIT] = {".xml", junit_write, false},
        [FORM_TEXT] = {".txt", write_text, true},
};

bool form_of_path(const char *path, enum form *ret)
{
	size_t len = strlen(path);
	for (size_t i = 0; i < N_FORMS; i++) {
		size_t end = strlen(FORMS[i].end);
		if (len > end && strcmp(path + len - end, FORMS[i].end) == 0) {
			*ret = (enum form)i;
			return true;
		}
	}
	return false;
}

bool form_is_of_change(enum form form)
{
	return FORMS[form].of_change;
}

const char *form_ends(void)
{
	return ".json, .html, .md, .txt or .xml";
}

void form_write(enum form form, const json_t *document, FILE *to)
{
	expect(!is_change(document) || form_is_of_change(form));
	FORMS[form].write(document, to);
}

void form_print(const json_t *document, bool full, FILE *to)
{
	struct writer w;
	if (full) {
		form_write(FORM_TEXT, document, to);
		return;
	}
	writer_begin(&w, WRITER_TEXT, to);
	summary_screen(document, true, &w);
	writer_labelled(&w, "More", "add --full for all figures, causes and pairs of answers");
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

int form_save(enum form form, const json_t *document, const char *path)
{
	char *fresh = xasprintf("%s.%ld", path, (long)getpid());
	int r = 0;
	FILE *to = fopen(fresh, "wxe");
	if (!to) {
		r = -errno;
	} else {
		form_write(form, document, to);
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
