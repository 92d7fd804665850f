#include "cli/out_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/report/document/exhibits.h"
#include "analyzer/report/kit/kit.h"
#include "base/mem.h"
#include "cli/written.h"
#include "cli/outfile.h"

void out_files_init(struct out_files *s, int limit)
{
	*s = (struct out_files){.files = xcalloc((size_t)limit, sizeof(struct out_files_file))};
}

void out_files_finish(struct out_files *s)
{
	free(s->files);
}

static bool is_directory(const char *path)
{
	struct stat st;
	size_t len = strlen(path);
	return (len > 0 && path[len - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

char *out_files_add(struct out_files *s, const char *path)
{
	struct out_files_file *f = &s->files[s->n];
	*f = (struct out_files_file){.path = path, .is_kit = is_directory(path) && !s->of_change};
	if (!f->is_kit && !output_format_of_path(path, &f->form)) {
		return xasprintf("--out %.200s: the name must end in %s, or in / for a directory",
		        path, output_format_ends());
	}
	if (s->of_change && !output_format_is_of_change(f->form)) {
		return xasprintf("--out %.200s: a comparison is saved as .json, .md or .txt", path);
	}
	s->n++;
	return NULL;
}

char *out_files_read(void *to, const char *name, const char *value)
{
	return out_files_add(to, value);
}

const struct option_row OUT_FILES_OPTIONS[] = {
        {"out", 0, "FILE|DIR/",
                "save the report; the name ends in .json, .html, .md, .txt or .xml (JUnit). DIR/: "
                "a directory with figures, tables and the checklist for a publication. May be "
                "given several times",
                .kind = OPTION_KIND_CALL, .read = out_files_read},
        {"with-text", 0, NULL,
                "quote prompts and answers in .md files too, and in any form where the "
                "environment variable CI is set",
                OPT_BOOL(struct out_files, with_text)},
        OPT_END,
};

bool out_files_shows_pairs(const struct out_files *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->files[i].is_kit) {
			return true;
		}
	}
	return false;
}

static char *check_file(const struct out_files_file *f, const char *made)
{
	if (!f->is_kit) {
		return outfile_check("out", f->path, made);
	}
	int r = outfile_check_directory(f->path, made);
	r = r == 0 ? kit_check(f->path) : r;
	return r == 0 ? NULL
	              : xasprintf("--out %.200s can't be written: %s", f->path,
	                        r == -ENOTEMPTY ? "the directory has files of another origin; name "
	                                          "a new or an empty one"
	                                        : strerror(-r));
}

char *out_files_check(const struct out_files *s, const char *made)
{
	char *problem = NULL;
	for (size_t i = 0; i < s->n && !problem; i++) {
		problem = check_file(&s->files[i], made);
	}
	return problem;
}

/* True where a job of a CI server runs: what it writes is often open to more people than the
 * capture. */
static bool is_ci(void)
{
	const char *ci = getenv("CI");
	return ci && *ci && strcmp(ci, "0") != 0 && strcmp(ci, "false") != 0;
}

json_t *out_files_shown(const struct out_files *s, const json_t *document, enum output_format form)
{
	bool may_quote = s->with_text || (form != OUTPUT_FORMAT_MARKDOWN && !is_ci());
	return may_quote || !exhibits_any(document) ? json_incref((json_t *)document)
	                                            : exhibits_drop(document);
}

static int save(const struct out_files *s, const char *command, const json_t *document,
        const struct out_files_file *f)
{
	if (f->is_kit) {
		int e = kit_write(document, f->path);
		if (e == 0) {
			written_print(command, f->path, "publication kit, " WRITTEN_NO_TEXTS);
		}
		return e;
	}
	json_t *shown = out_files_shown(s, document, f->form);
	bool quotes = exhibits_any(shown) && f->form != OUTPUT_FORMAT_JUNIT;
	int r = output_format_save(f->form, shown, f->path, quotes ? 0600 : 0666);
	if (r == 0) {
		written_print(
		        command, f->path, quotes ? "quotes prompts and answers" : WRITTEN_NO_TEXTS);
	}
	json_decref(shown);
	return r;
}

int out_files_write(const struct out_files *s, const char *command, const json_t *document)
{
	int code = 0;
	for (size_t i = 0; i < s->n; i++) {
		int r = save(s, command, document, &s->files[i]);
		if (r < 0) {
			fprintf(stderr, "plumbline %s: %s: %s\n", command, s->files[i].path,
			        strerror(-r));
			code = -1;
		}
	}
	return code;
}
