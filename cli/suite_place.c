#include "cli/suite_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/did_you_mean.h"
#include "base/mem.h"

#define PLACES 5
#define SUITE_END ".jsonl"

/* infer-check's name of a suite, and plumbline's name if it differs. */
static const char *const ALIASES[][2] = {
        {"quant-sensitive", "quantisation-sensitive"},
        {"quantization-sensitive", "quantisation-sensitive"},
};

static const char *name_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(ALIASES); i++) {
		if (strcmp(name, ALIASES[i][0]) == 0) {
			return ALIASES[i][1];
		}
	}
	return name;
}

/* A path relative to the program, where a source tree or a relocated installation has the
 * suites; NULL: there is none. */
static char *near_program(const char *relative)
{
	char *self = realpath("/proc/self/exe", NULL);
	char *slash = self ? strrchr(self, '/') : NULL;
	char *path = slash ? xasprintf("%.*s/%s", (int)(slash - self), self, relative) : NULL;
	char *real = path ? realpath(path, NULL) : NULL;
	free(path);
	free(self);
	return real;
}

/* Each may be NULL; the caller frees them. */
static void list_places(char *ret[PLACES])
{
	ret[0] = xstrdup("configs/suites");
	ret[1] = near_program("../configs/suites");    /* build/plumbline */
	ret[2] = near_program("../../configs/suites"); /* .check/plain/plumbline */
	ret[3] = near_program("../share/plumbline/suites");
	ret[4] = xstrdup(PLUMBLINE_SUITES);
	if (ret[3] && strcmp(ret[3], ret[4]) == 0) {
		free(ret[3]);
		ret[3] = NULL;
	}
}

static void free_places(char *places[PLACES])
{
	for (size_t i = 0; i < PLACES; i++) {
		free(places[i]);
	}
}

bool suite_place_find(const char *name, char **ret)
{
	char *places[PLACES], *found = NULL;
	const char *name_here = name_of(name);
	/* A word with a slash is a path, not a name, and is used as it is. */
	if (!*name || strchr(name, '/')) {
		return false;
	}
	list_places(places);
	for (size_t i = 0; i < PLACES && !found; i++) {
		found = places[i] ? xasprintf("%s/%s.jsonl", places[i], name_here) : NULL;
		if (found && access(found, R_OK) != 0) {
			free(found);
			found = NULL;
		}
	}
	free_places(places);
	*ret = found ? found : *ret;
	return found != NULL;
}

void suite_place_list(glob_t *ret)
{
	char *places[PLACES];
	int more = 0;
	*ret = (glob_t){.gl_pathc = 0};
	list_places(places);
	for (size_t i = 0; i < PLACES; i++) {
		char *pattern = places[i] ? xasprintf("%s/*" SUITE_END, places[i]) : NULL;
		if (pattern && glob(pattern, more, NULL, ret) == 0) {
			more = GLOB_APPEND;
		}
		free(pattern);
	}
	free_places(places);
}

char *suite_place_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	return xstrndup(name, strlen(name) - strlen(SUITE_END));
}

char *suite_place_nearest(const char *word)
{
	glob_t found;
	suite_place_list(&found);
	char **names = xcalloc(found.gl_pathc + 1, sizeof(*names));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		names[i] = suite_place_name(found.gl_pathv[i]);
	}
	const char *near = nearest_word(word, (const char *const *)names);
	char *copy = near ? xstrdup(near) : NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		free(names[i]);
	}
	free(names);
	globfree(&found);
	return copy;
}

void suite_place_put(struct buf *to)
{
	char *places[PLACES];
	const char *before = "";
	list_places(places);
	for (size_t i = 0; i < PLACES; i++) {
		if (places[i]) {
			buf_printf(to, "%s%s", before, places[i]);
			before = ", ";
		}
	}
	free_places(places);
}
