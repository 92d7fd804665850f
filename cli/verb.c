#include "cli/verb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/mem.h"
#include "cli/outfile.h"

#define COMMANDS_LIMIT 32 /* most commands in a list */

const char *command_nearest(const struct command *list, const char *word)
{
	const char *names[COMMANDS_LIMIT + 1] = {NULL};
	for (size_t n = 0; list[n].name; n++) {
		expect(n < COMMANDS_LIMIT);
		names[n] = list[n].name;
	}
	return nearest_word(word, names);
}

int verb_flush(const char *command, int code)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE) {
		return verb_fail(command, EXIT_RUNTIME,
		        xasprintf("standard output can't be written: %s", strerror(errno)));
	}
	return code;
}

int verb_usage(const struct verb *v, char *why)
{
	size_t len = strlen(why);
	bool ended = len > 0 && strchr(".?", why[len - 1]);
	char *more = xasprintf("%s%s plumbline %s --help", why, ended ? " See" : "; see", v->name);
	free(why);
	return verb_fail(v->name, EXIT_USAGE, more);
}

bool verb_read(
        const struct verb *v, int argc, char **argv, void *to, struct operands *ret, int *ret_code)
{
	char *problem = options_parse(v->options, argc, argv, to, ret);
	if (problem) {
		*ret_code = verb_usage(v, problem);
		return false;
	}
	if (ret->help) {
		options_help(v, stdout);
		*ret_code = EXIT_PASS;
		return false;
	}
	outfile_protect(ret->words, ret->n);
	return true;
}

bool verb_read_dirs(
        const struct verb *v, int argc, char **argv, void *to, struct operands *ret, int *ret_code)
{
	if (!verb_read(v, argc, argv, to, ret, ret_code)) {
		return false;
	}
	if (ret->n == 0) {
		*ret_code = verb_usage(v, xstrdup("the capture's directory is missing"));
	}
	return ret->n > 0;
}

bool verb_read_dir(
        const struct verb *v, int argc, char **argv, void *to, const char **ret_dir, int *ret_code)
{
	struct operands words;
	if (!verb_read(v, argc, argv, to, &words, ret_code)) {
		return false;
	}
	if (words.n != 1) {
		*ret_code = verb_usage(v, xstrdup("which capture? Give one directory"));
		return false;
	}
	*ret_dir = words.words[0];
	return true;
}
