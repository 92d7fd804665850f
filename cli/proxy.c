/*
 * plumbline proxy - shadow and record.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/engine_url.h"
#include "proxy/loop_check.h"
#include "proxy/proxy.h"
#include "proxy/scoring_advice.h"
#include "proxy/settings/settings.h"

struct options {
	const char *config;
	bool check_only;
	struct option_values flags;
};

static const struct option_row OPTIONS[] = {
        OPT_KEEP(settings_options, struct options, flags),
        {"config", 'c', "FILE", "read the configuration from this YAML file; options override it",
                OPT_TEXT(struct options, config)},
        {"check-config", 0, NULL, "print the settings as JSON and stop",
                OPT_BOOL(struct options, check_only)},
        OPT_END,
};

static const struct verb PROXY = {
        .name = "proxy",
        .usage = "--primary URL [options]\n-c FILE [options]",
        .about = "Stands between clients and an engine, sends copies of their requests to other "
                 "engines, and records all answers. The client sees the primary's answers, "
                 "unchanged.",
        .options = OPTIONS,
        .notes = "SIGTERM or SIGINT: the proxy accepts no new connections, finishes the running "
                 "answers and stops; at a second signal it stops at once. SIGHUP: it reads the "
                 "file again; new requests use the new settings, and no connection is lost.",
        .examples = "plumbline proxy --primary http://127.0.0.1:8101 "
                    "\\\n    --reference http://127.0.0.1:8102 --capture capture\n"
                    "plumbline proxy -c configs/proxy.yaml --check-config",
        .exit_codes = "0 stopped by a signal, 2 command line or configuration, 3 run-time error",
};

/* Warns only about backends whose engine the configuration names. */
static void warn_of_scoring(const struct settings *s, const char *file)
{
	for (size_t i = 0; i < s->n_references; i++) {
		const struct backend_settings *b = &s->references[i];
		char *advice = scoring_advice(b->name, b->mode, b->dialect);
		if (advice && file && b->url_line) {
			fprintf(stderr, "%s:%d: warning: %s\n", file, b->url_line, advice);
		} else if (advice) {
			fprintf(stderr, "plumbline: warning: %s\n", advice);
		}
		free(advice);
	}
}

static int run(const struct options *o)
{
	const struct settings_source source = {o->config, o->flags.items, o->flags.n};
	char *problem = NULL;
	struct settings *s = settings_load(source.file, source.flags, source.n_flags, &problem);
	if (!s) {
		return verb_fail("proxy", EXIT_USAGE, problem);
	}
	problem = loop_check(s, o->config);
	if (problem) {
		settings_unref(s);
		return verb_fail("proxy", EXIT_USAGE, problem);
	}
	int code = EXIT_PASS;
	if (o->check_only) {
		char *json = settings_json(s);
		engine_url_report_all(s);
		warn_of_scoring(s, o->config);
		puts(json);
		free(json);
	} else {
		settings_apply_log(s);
		code = proxy_run(s, &source);
	}
	settings_unref(s);
	return code;
}

int command_proxy(int argc, char **argv)
{
	struct options o = {0};
	struct operands rest;
	int code = EXIT_USAGE;
	if (argc == 1) {
		code = verb_usage(
		        &PROXY, xstrdup("no engine is given: add --primary URL or -c FILE"));
	} else if (verb_read(&PROXY, argc, argv, &o, &rest, &code)) {
		code = rest.n ? verb_usage(&PROXY,
		                        xasprintf("unexpected argument \"%.60s\"", rest.words[0]))
		              : run(&o);
	}
	free(o.flags.items);
	return code;
}
