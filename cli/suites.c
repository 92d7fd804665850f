/*
 * plumbline suites - lists the suites that recipes accept by name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/suite_place.h"

static const struct option_row OPTIONS[] = {OPT_END};

static const struct verb SUITES = {
        .name = "suites",
        .usage = "[options]",
        .about = "Lists the suites that compare, diff, sweep, determinism, stress and ablate take "
                 "by name: directory, name, number of tasks (docs/suites.md).",
        .options = OPTIONS,
        .examples = "plumbline suites",
        .exit_codes = "0 listed, 2 command line, 4 there are none",
};

/* Counts the requests, one per line. The first line may be a comment on the suite. */
static uint64_t requests_of(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	uint64_t n = 0;
	while (f && getline(&line, &size, f) >= 0) {
		n += *line == '{';
	}
	if (f) {
		fclose(f);
	}
	free(line);
	return n;
}

/* A suite of the same name in an earlier place hides this one. */
static bool is_hidden(const glob_t *all, size_t at, const char *name)
{
	bool hidden = false;
	for (size_t i = 0; i < at && !hidden; i++) {
		char *other = suite_place_name(all->gl_pathv[i]);
		hidden = strcmp(other, name) == 0;
		free(other);
	}
	return hidden;
}

int command_suites(int argc, char **argv)
{
	struct operands rest;
	glob_t all;
	int code, none = 0;
	if (!verb_read(&SUITES, argc, argv, &none, &rest, &code)) {
		return code;
	}
	if (rest.n > 0) {
		return verb_usage(&SUITES, xasprintf("unexpected argument %.60s", rest.words[0]));
	}
	suite_place_list(&all);
	struct span place = {0};
	for (size_t i = 0; i < all.gl_pathc; i++) {
		char *name = suite_place_name(all.gl_pathv[i]);
		if (!is_hidden(&all, i, name)) {
			const char *path = all.gl_pathv[i];
			struct span dir = {path, (size_t)(strrchr(path, '/') - path)};
			if (!span_equal(dir, place)) {
				printf("%s%.*s\n  %-24s  TASKS\n", place.len ? "\n" : "",
				        (int)dir.len, dir.data, "SUITE");
			}
			printf("  %-24s  %5" PRIu64 "\n", name, requests_of(path));
			place = dir;
		}
		free(name);
	}
	code = EXIT_PASS;
	if (all.gl_pathc > 0) {
		puts("\nUse one by its name:\n    plumbline compare OLD-URL NEW-URL SUITE");
	} else {
		struct buf places = {0};
		suite_place_put(&places);
		code = verb_fail("suites", EXIT_NOT_ENOUGH,
		        xasprintf("there are no suites in %s", buf_cstr(&places)));
		buf_finish(&places);
	}
	globfree(&all);
	return code;
}
