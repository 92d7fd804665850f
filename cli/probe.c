#include "cli/probe_result.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/engine_detection.h"
#include "backends/manifest_collect.h"
#include "base/environment.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/written.h"
#include "cli/outfile.h"
#include "cli/engine_url.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/shell.h"
#include "base/terminal.h"

#define MS_NS UINT64_C(1000000)
#define TIMEOUT_NS (60 * 1000 * MS_NS)

struct options {
	const char *url, *model, *key_variable, *api_key, *ca_file, *out;
	uint64_t timeout_ns;
	bool deep, risky, full, json;
};

/* The connection that a signal cancels. */
static struct call_line *stoppable;

static void on_signal(int number)
{
	if (stoppable) {
		call_line_stop(stoppable);
	}
}

static void catch_signals(struct call_line *line)
{
	/* A second signal ends the process as if there were no handler. */
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	stoppable = line;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void on_step(void *arg, const char *what, unsigned requests)
{
	progress_message(arg, "probing: %s (%u requests so far)", what, requests);
}

static int exit_code(const struct probe_result *p)
{
	if (!p->identity->reachable) {
		return EXIT_RUNTIME;
	}
	if (!p->report) {
		return p->identity->sure < SURE_LIKELY ? EXIT_NOT_ENOUGH : EXIT_PASS;
	}
	if (p->report->stopped || p->report->no_answers) {
		return EXIT_RUNTIME;
	}
	if (p->report->no_route) {
		return EXIT_NOT_ENOUGH;
	}
	return p->report->n_findings && p->report->findings[0].severity == SEVERITY_FAULT
	               ? EXIT_DIFFERENCE
	               : EXIT_PASS;
}

static int show(const struct options *o, const struct probe_result *p)
{
	struct buf text = {0};
	if (o->json) {
		probe_result_json(p, &text);
	} else {
		int fd = o->out ? -1 : STDOUT_FILENO;
		probe_result_card(
		        p, o->full || o->out, terminal_width(fd), terminal_has_colours(fd), &text);
	}
	int r = 0;
	if (o->out) {
		r = outfile_write(o->out, 0666, buf_span(&text));
	} else {
		fwrite(text.data, 1, text.len, stdout);
	}
	buf_finish(&text);
	if (r < 0) {
		return verb_fail("probe", EXIT_RUNTIME,
		        xasprintf("%s can't be written: %s", o->out, strerror(-r)));
	}
	if (o->out) {
		written_print("probe", o->out,
		        o->deep ? "plumbline's own prompts and the answers to them"
		                : WRITTEN_NO_TEXTS);
	}
	return verb_flush("probe", exit_code(p));
}

/* The same probe with --deep, as a command for a shell. */
static char *deep_command(const struct options *o, const char *url)
{
	const struct {
		const char *name, *value;
	} options[] = {{"--model", o->model}, {"--api-key-env", o->key_variable},
	        {"--ca-file", o->ca_file}};
	struct buf to = {0};
	buf_append_str(&to, "plumbline probe ");
	shell_put_word(&to, url);
	buf_append_str(&to, " --deep");
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if (options[i].value) {
			buf_printf(&to, " %s ", options[i].name);
			shell_put_word(&to, options[i].value);
		}
	}
	return buf_steal(&to);
}

static int probe(const struct options *o, struct call_line *line)
{
	struct progress progress;
	progress_begin(&progress);
	on_step(&progress, "who answers", 0);
	struct engine_identity *i = engine_detect(line, &(struct engine_detection){0});
	char *deep = deep_command(o, call_line_url(line));
	struct probe_result p = {.url = call_line_url(line), .identity = i, .deep = deep};
	struct manifest *m = NULL;
	struct probe_report *r = NULL;
	p.model = o->model ? o->model : i->n_models ? i->models[0] : NULL;
	if (i->reachable && !call_line_stopped(line)) {
		p.manifest = m = manifest_collect(line, i, p.model);
		if (o->deep) {
			p.report = r = probe_run(&(struct probe_settings){
			        .line = line,
			        .identity = i,
			        .model = p.model,
			        .timeout_ms = o->timeout_ns / MS_NS,
			        .risky = o->risky,
			        .on_step = on_step,
			        .arg = &progress,
			});
		}
	}
	struct buf version = {0};
	const char *source, *known_version = probe_result_version(&p, &version, &source);
	if (m && known_version && !manifest_get(m, "engine.version")) {
		manifest_set(m, "engine.version", known_version, source);
	}
	buf_finish(&version);
	progress_clear(&progress);
	if (!i->reachable) {
		fprintf(stderr, "plumbline probe: nothing answers at %s: %s\n", p.url,
		        i->problem ? i->problem : "stopped");
	}
	int code = i->reachable || o->json ? show(o, &p) : EXIT_RUNTIME;
	probe_report_destroy(r);
	manifest_destroy(m);
	engine_identity_destroy(i);
	free(deep);
	return code;
}

static const struct option_row OPTIONS[] = {
        {"deep", 0, NULL, "send a few small requests to see what the engine honours",
                OPT_BOOL(struct options, deep)},
        {"risky", 0, NULL,
                "with --deep: also send requests that make some engines hang or generate without "
                "end, one at a time; not for an engine that others use",
                OPT_BOOL(struct options, risky)},
        {"model", 0, "NAME", "ask for this model (the first one listed)",
                OPT_TEXT(struct options, model)},
        {"api-key-env", 0, "VAR", "take the API key from this environment variable",
                OPT_TEXT(struct options, key_variable)},
        {"timeout", 0, "TIME", "stop waiting for an answer after this time, from 1ms (60s)",
                OPT_DURATION(struct options, timeout_ns, MS_NS)},
        {"ca-file", 0, "FILE", "trust the certificates in this file",
                OPT_TEXT(struct options, ca_file)},
        {"full", 0, NULL, "print all evidence, findings and capabilities, and the stack",
                OPT_BOOL(struct options, full)},
        {"json", 0, NULL, "print JSON", OPT_BOOL(struct options, json)},
        {"out", 0, "FILE", "write the full result to a file instead of standard output",
                OPT_TEXT(struct options, out)},
        OPT_END,
};

static const struct verb PROBE = {
        .name = "probe",
        .usage = "URL [options]",
        .about = "Says which engine answers at a URL and which parameters it really honours. "
                 "Without --deep it sends only requests that generate and change nothing: GETs, "
                 "and one POST to /api/show of Ollama.",
        .options = OPTIONS,
        .examples = "plumbline probe http://127.0.0.1:8000\n"
                    "plumbline probe http://127.0.0.1:8000 --deep --risky\n"
                    "plumbline probe https://api.example.com --api-key-env API_KEY --json",
        .exit_codes = "0 recognised, and no fault found, 1 a fault was found, 2 command line, 3 "
                      "nothing answers, or not in time, 4 the engine is unknown, or recognised by "
                      "weak signs only; with --deep: it answers no request",
};

/* NULL, or the problem. */
static char *settle(const struct operands *urls, struct options *o)
{
	char *problem = o->key_variable ? environment_read(o->key_variable, &o->api_key) : NULL;
	if (problem) {
		return problem;
	}
	if (o->risky && !o->deep) {
		return xstrdup("--risky needs --deep");
	}
	if (urls->n != 1) {
		return urls->n ? xasprintf("give only one URL, not also %.60s", urls->words[1])
		               : xstrdup("the engine's URL is missing");
	}
	o->url = urls->words[0];
	return o->out ? outfile_check("out", o->out, NULL) : NULL;
}

int command_probe(int argc, char **argv)
{
	struct options o = {.timeout_ns = TIMEOUT_NS};
	struct operands urls;
	int code;
	if (!verb_read(&PROBE, argc, argv, &o, &urls, &code)) {
		return code;
	}
	char *problem = settle(&urls, &o);
	if (problem) {
		return verb_usage(&PROBE, problem);
	}
	struct call_line *line = engine_url_call(o.url, o.ca_file, o.api_key, &problem);
	if (!line) {
		return verb_fail("probe", EXIT_USAGE, problem);
	}
	catch_signals(line);
	code = probe(&o, line);
	stoppable = NULL;
	call_line_destroy(line);
	return code;
}
