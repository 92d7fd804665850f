#include "cli/saving.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/report/kit/kit.h"
#include "base/mem.h"
#include "cli/outfile.h"

void saving_init(struct saving *s, int limit)
{
	*s = (struct saving){.paths = xcalloc((size_t)limit, sizeof(char *))};
}

void saving_finish(struct saving *s)
{
	free(s->paths);
}

/* A publication kit goes there. */
static bool is_directory(const char *path)
{
	struct stat st;
	size_t len = strlen(path);
	return (len > 0 && path[len - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

char *saving_take(struct saving *s, const char *path)
{
	enum form form;
	if (is_directory(path) && !s->of_change) {
		s->paths[s->n++] = path;
		return NULL;
	}
	if (!form_of_path(path, &form)) {
		return xasprintf("--out %.200s: the name must end in %s, or in / for a directory",
		        path, form_ends());
	}
	if (s->of_change && !form_is_of_change(form)) {
		return xasprintf("--out %.200s: a comparison is saved as .json, .md or .txt", path);
	}
	s->paths[s->n++] = path;
	return NULL;
}

char *saving_read(void *to, const char *name, const char *value)
{
	return saving_take(to, value);
}

const struct option_row SAVING_OPTIONS[] = {
        {"out", 0, "FILE|DIR/",
                "save the report in the form that the name ends in: .json, .html, .md, .txt or "
                ".xml (JUnit); DIR/: a directory with figures, tables and the checklist for a "
                "publication. May be given several times",
                .kind = OPTION_KIND_CALL, .read = saving_read},
        OPT_END,
};

bool saving_shows_pairs(const struct saving *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!is_directory(s->paths[i])) {
			return true;
		}
	}
	return false;
}

static int check_path(const char *path, const char *made)
{
	if (!is_directory(path)) {
		return outfile_check_moved(path, made);
	}
	int r = outfile_check_directory(path, made);
	return r == 0 && access(path, F_OK) == 0 ? kit_check(path) : r;
}

char *saving_check(const struct saving *s, const char *made)
{
	for (size_t i = 0; i < s->n; i++) {
		int r = check_path(s->paths[i], made);
		if (r < 0) {
			return xasprintf("--out %.200s can't be written: %s", s->paths[i],
			        r == -ENOTEMPTY ? "the directory holds files that are not of a "
			                          "publication kit; give a new or an empty one"
			                        : strerror(-r));
		}
	}
	return NULL;
}

/* Whether a document quotes prompts or answers. */
static bool quotes_texts(const json_t *document)
{
	bool quotes = json_is_object(json_object_get(document, "exhibits"));
	size_t i;
	json_t *group, *example;
	const char *name;
	json_array_foreach(json_object_get(document, "groups"), i, group)
	{
		json_object_foreach(json_object_get(group, "examples"), name, example)
		{
			quotes |= json_is_object(example);
		}
	}
	return quotes;
}

static void tell_saved(const char *command, const char *path, bool quotes)
{
	struct stat st;
	if (is_directory(path)) {
		fprintf(stderr,
		        "plumbline %s: wrote the publication kit %s (no prompts or answers)\n",
		        command, path);
	} else if (stat(path, &st) == 0) {
		fprintf(stderr, "plumbline %s: wrote %s (%.*f kB, %s)\n", command, path,
		        st.st_size < 10000 ? 1 : 0, (double)st.st_size / 1000,
		        quotes ? "quotes prompts and answers" : "no prompts or answers");
	}
}

static int save(const char *path, const json_t *document)
{
	enum form form;
	if (is_directory(path)) {
		return kit_write(document, path);
	}
	return form_of_path(path, &form) ? form_save(form, document, path) : -EINVAL;
}

int saving_write(const struct saving *s, const char *command, const json_t *document)
{
	int r = 0;
	bool quotes = quotes_texts(document);
	for (size_t i = 0; i < s->n; i++) {
		enum form form;
		bool is_junit = form_of_path(s->paths[i], &form) && form == FORM_JUNIT;
		int error = save(s->paths[i], document);
		if (error == 0) {
			tell_saved(command, s->paths[i], quotes && !is_junit);
		} else {
			fprintf(stderr, "plumbline %s: %s: %s\n", command, s->paths[i],
			        strerror(-error));
			r = -1;
		}
	}
	return r;
}
