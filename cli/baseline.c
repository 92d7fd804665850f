/*
 * plumbline baseline - accepts the differences of a capture, in a file for --accepted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "analyzer/greedy_differences.h"
#include "analyzer/report/policy/accepted.h"
#include "analyzer/report/forms/output_format.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/shell.h"
#include "base/terminal.h"
#include "cli/input.h"
#include "cli/selecting.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/written.h"
#include "cli/outfile.h"

struct baseline {
	const char *file, *reason;
	struct selecting selecting;
	struct analysis_options analysis;
	const char **dirs;
	size_t n_dirs;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"file", 0, "FILE", "the file of accepted differences; accept creates it or adds to it",
                OPT_TEXT(struct baseline, file)},
        {"reason", 0, "TEXT", "why the differences are acceptable; the file keeps it",
                OPT_TEXT(struct baseline, reason)},
        OPT_GROUP("what is compared:"),
        OPT_INCLUDE(SELECTING_OPTIONS, struct baseline, selecting),
        OPT_END,
};

static const struct verb BASELINE = {
        .name = "baseline",
        .usage = "accept DIR... --file FILE [options]",
        .about = "Adds all differences between the greedy answers of a capture to a file. analyze, "
                 "compare and diff read the file with --accepted: then they fail only if there is "
                 "a difference that is not in it. The figures stay the same.\n\n"
                 "The file can be committed: it has hashes and reasons, and no text of a prompt or "
                 "an answer. docs/policy.md says which differences count as the same.",
        .options = OPTIONS,
        .examples = "# first look at the differences\n"
                    "plumbline analyze capture --full\n"
                    "plumbline baseline accept capture --file accepted.json --reason rounding\n"
                    "plumbline analyze capture --accepted accepted.json",
        .exit_codes = "0 accepted, 2 command line, or the file is wrong, 3 the capture can't be "
                      "read or the file can't be written, 4 no greedy answers were compared",
};

static int save(const struct baseline *b, json_t *accepted, const struct greedy_differences *d)
{
	size_t all = json_object_size(d->found);
	size_t added = accepted_add(accepted, d->found, b->reason);
	int r = output_format_save(OUTPUT_FORMAT_JSON, accepted, b->file, 0666);
	if (r < 0) {
		return verb_fail("baseline", EXIT_RUNTIME,
		        xasprintf("%s can't be written: %s", b->file, strerror(-r)));
	}
	terminal_printf(stdout,
	        "%zu %s accepted in %s, %zu of them new. %" PRIu64
	        " %s of greedy answers %s compared; the same difference counts once.\n",
	        all, plural(all, "difference is", "differences are"), b->file, added, d->compared,
	        plural(d->compared, "pair", "pairs"), plural(d->compared, "was", "were"));
	if (d->without_key > 0) {
		terminal_printf(stdout,
		        "%" PRIu64 " %s not accepted: a text was redacted or not recorded.\n",
		        d->without_key, plural(d->without_key, "pair was", "pairs were"));
	}
	struct buf command = {0};
	for (size_t i = 0; i < b->n_dirs; i++) {
		buf_append_char(&command, ' ');
		shell_put_path(&command, b->dirs[i]);
	}
	buf_append_str(&command, " --accepted ");
	shell_put_path(&command, b->file);
	printf("Analyze with it:\n    plumbline analyze%s\n", buf_cstr(&command));
	buf_finish(&command);
	written_print("baseline", b->file, WRITTEN_NO_TEXTS);
	return EXIT_PASS;
}

static int accept_all(struct baseline *b, struct capture *c, json_t *accepted)
{
	struct greedy_differences d;
	char *problem = selecting_resolve(&b->selecting, c, &b->analysis);
	if (problem) {
		return verb_fail("baseline", EXIT_USAGE, problem);
	}
	greedy_differences_read(c, &b->analysis, &d);
	int code = d.compared > 0 ? save(b, accepted, &d)
	                          : verb_fail("baseline", EXIT_NOT_ENOUGH,
	                                    xstrdup("no greedy answers of two backends were "
	                                            "compared"));
	greedy_differences_finish(&d);
	return code;
}

static int run(struct baseline *b)
{
	char *error = NULL;
	bool is_new = access(b->file, F_OK) != 0 && errno == ENOENT;
	json_t *accepted = is_new ? accepted_new() : accepted_load(b->file, &error);
	if (!accepted) {
		return verb_fail("baseline", EXIT_USAGE, error);
	}
	struct capture *c = capture_open(b->dirs, b->n_dirs, &error);
	if (!c) {
		json_decref(accepted);
		return verb_fail("baseline", EXIT_RUNTIME, error);
	}
	(void)input_warn("baseline", c);
	int code = accept_all(b, c, accepted);
	capture_close(c);
	json_decref(accepted);
	return code;
}

static char *settle(struct baseline *b, const struct operands *line)
{
	if (line->n == 0) {
		return xstrdup("the verb is missing; the only verb is accept");
	}
	if (strcmp(line->words[0], "accept") != 0) {
		return xasprintf("there is no verb %.60s; the only verb is accept", line->words[0]);
	}
	if (line->n == 1) {
		return xstrdup("no capture is given: name its directory");
	}
	if (!b->file) {
		return xstrdup("no file is given: add --file FILE");
	}
	json_t *reason = json_string(b->reason);
	json_decref(reason);
	if (!reason) {
		return xstrdup("--reason is not UTF-8");
	}
	b->dirs = line->words + 1;
	b->n_dirs = line->n - 1;
	char *problem = outfile_check("file", b->file, NULL);
	return problem ? problem : selecting_parse(&b->selecting, &b->analysis);
}

int command_baseline(int argc, char **argv)
{
	struct baseline b = {.reason = ""};
	struct operands line;
	int code;
	if (verb_read(&BASELINE, argc, argv, &b, &line, &code)) {
		char *problem = settle(&b, &line);
		code = problem ? verb_usage(&BASELINE, problem) : run(&b);
	}
	selecting_finish(&b.selecting);
	return code;
}
