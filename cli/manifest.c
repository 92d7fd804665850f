/*
 * plumbline manifest - prints the stacks of a capture, or of an engine, as a reporting checklist.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/manifest_collect.h"
#include "backends/engine_detection.h"
#include "base/environment.h"
#include "base/mem.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/commands.h"
#include "cli/engine_url.h"
#include "base/options.h"
#include "analyzer/report/screen/checklist.h"
#include "analyzer/report/forms/output_format.h"
#include "analyzer/report/node.h"
#include "cli/stacks_json.h"

enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON };

struct options {
	int format; /* FORMAT_... */
	const char *backend, *model, *key_variable, *ca_file;
};

static const char *const FORMATS[] = {"text", "markdown", "json", NULL};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        OPT_OPERAND("URL", "an engine"),
        {"format", 0, "FORMAT", "print text, markdown or json (text)",
                OPT_WORD(struct options, format, FORMATS)},
        {"backend", 0, "NAME", "show only this backend of a capture",
                OPT_TEXT(struct options, backend)},
        {"model", 0, "NAME", "describe this model of an engine (the first one listed)",
                OPT_TEXT(struct options, model)},
        {"api-key-env", 0, "VAR", "take the API key of an engine from this environment variable",
                OPT_TEXT(struct options, key_variable)},
        {"ca-file", 0, "FILE", "trust the certificates in this file for an engine",
                OPT_TEXT(struct options, ca_file)},
        OPT_END,
};

static const struct verb MANIFEST = {
        .name = "manifest",
        .usage = "DIR... [options]\nURL [options]",
        .about = "Prints what plumbline knows about a backend's stack (engine, version, model, "
                 "hardware, settings), and which of it a publication should state: for each "
                 "backend of a capture, with its changes during the recording, or for a running "
                 "engine.",
        .options = OPTIONS,
        .notes = "It asks an engine with requests that generate and change nothing.",
        .examples = "plumbline manifest capture --format markdown > stack.md\n"
                    "plumbline manifest http://127.0.0.1:8101",
        .exit_codes = "0 printed, 2 command line or not a capture, 3 nothing answers, or a part of "
                      "the capture could not be read, 4 the capture describes no stack",
};

/* Takes ownership of the stacks. */
static int print(json_t *stacks, const struct options *o)
{
	if (o->format == FORMAT_JSON) {
		output_format_write(OUTPUT_FORMAT_JSON, stacks, stdout);
	} else {
		bool markdown = o->format == FORMAT_MARKDOWN;
		checklist_write(stacks, markdown ? WRITER_MARKDOWN : WRITER_TEXT, stdout);
	}
	json_decref(stacks);
	return verb_flush("manifest", EXIT_PASS);
}

static bool knows_any(const json_t *stacks)
{
	NODE_EACH(each, stacks) {
		if (json_is_string(json_object_get(each, "dialect"))) {
			return true;
		}
	}
	return false;
}

static int of_capture(const char *const *dirs, size_t n, const struct options *o)
{
	int code = EXIT_PASS;
	struct capture *c = input_open("manifest", dirs, n, &code);
	if (!c) {
		return code;
	}
	json_t *all = stacks_json_of_capture(c, o->backend);
	const json_t *stacks = json_object_get(all, "stacks");
	bool any = json_array_size(stacks) > 0, any_known = knows_any(stacks);
	if (any) {
		code = print(all, o);
		code = code == EXIT_PASS && !any_known ? EXIT_NOT_ENOUGH : code;
		return input_close("manifest", c, code);
	}
	json_decref(all);
	return input_close("manifest", c,
	        o->backend ? verb_fail("manifest", EXIT_NOT_ENOUGH,
	                             xasprintf("the capture has no backend %s", o->backend))
	                   : input_empty("manifest", c, dirs, n));
}

static int of_engine(const char *url, const struct options *o)
{
	char *error = NULL;
	const char *key = NULL;
	char *problem = o->key_variable ? environment_read(o->key_variable, &key) : NULL;
	if (problem) {
		return verb_usage(&MANIFEST, problem);
	}
	struct call_line *line = engine_url_call(url, o->ca_file, key, &error);
	if (!line) {
		return verb_fail("manifest", EXIT_USAGE, error);
	}
	int code = EXIT_RUNTIME;
	struct engine_identity *i = engine_detect(line, &(struct engine_detection){0});
	if (i->reachable) {
		code = print(stacks_json_of_engine(manifest_collect(line, i, o->model)), o);
	} else {
		fprintf(stderr, "plumbline manifest: nothing answers at %s: %s\n",
		        call_line_url(line), i->problem ? i->problem : "no answer");
	}
	engine_identity_destroy(i);
	call_line_destroy(line);
	return code;
}

int command_manifest(int argc, char **argv)
{
	struct options o = {0};
	struct operands rest;
	int code;
	if (!verb_read(&MANIFEST, argc, argv, &o, &rest, &code)) {
		return code;
	}
	if (rest.n == 0) {
		return verb_usage(&MANIFEST,
		        xstrdup("the capture's directory or the engine's URL is missing"));
	}
	const char *first = rest.words[0];
	/* "localhost:8000" is a URL whose beginning was forgotten. */
	if (!base_url_is_one(first) && (access(first, F_OK) == 0 || !strchr(first, ':'))) {
		return of_capture(rest.words, rest.n, &o);
	}
	return rest.n > 1 ? verb_usage(&MANIFEST, xstrdup("give only one URL"))
	                  : of_engine(first, &o);
}
