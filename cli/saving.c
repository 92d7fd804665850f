#include "cli/saving.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/outfile.h"

void saving_init(struct saving *s, int limit)
{
	*s = (struct saving){.paths = xcalloc((size_t)limit, sizeof(char *))};
}

void saving_finish(struct saving *s)
{
	free(s->paths);
}

char *saving_take(struct saving *s, const char *path)
{
	enum form form;
	if (!form_of_path(path, &form)) {
		return xasprintf("--out %.200s: the name must end in %s", path, form_ends());
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
        {"out", 0, "FILE",
                "save the report in the form that the name ends in: .json, .html, .md, .txt or "
                ".xml (JUnit); may be given several times",
                .kind = OPTION_KIND_CALL, .read = saving_read},
        OPT_END,
};

char *saving_check(const struct saving *s, const char *made)
{
	for (size_t i = 0; i < s->n; i++) {
		int r = outfile_check_moved(s->paths[i], made);
		if (r < 0) {
			return xasprintf(
			        "--out %.200s can't be written: %s", s->paths[i], strerror(-r));
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

static void tell_saved(const char *command, const char *path, enum form form, bool quotes)
{
	struct stat st;
	if (stat(path, &st) == 0) {
		fprintf(stderr, "plumbline %s: wrote %s (%.*f kB, %s)\n", command, path,
		        st.st_size < 10000 ? 1 : 0, (double)st.st_size / 1000,
		        quotes && form != FORM_JUNIT ? "quotes prompts and answers"
		                                     : "no prompts or answers");
	}
}

int saving_write(const struct saving *s, const char *command, const json_t *document)
{
	int r = 0;
	bool quotes = quotes_texts(document);
	for (size_t i = 0; i < s->n; i++) {
		enum form form;
		int error = form_of_path(s->paths[i], &form)
		                    ? form_save(form, document, s->paths[i])
		                    : -EINVAL;
		if (error == 0) {
			tell_saved(command, s->paths[i], form, quotes);
		}
		if (error < 0) {
			fprintf(stderr, "plumbline %s: %s: %s\n", command, s->paths[i],
			        strerror(-error));
			r = -1;
		}
	}
	return r;
}
