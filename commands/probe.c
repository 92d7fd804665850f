#include "commands/probe.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/identify.h"
#include "base/conf.h"
#include "base/mem.h"
#include "commands/commands.h"
#include "commands/engine_url.h"
#include "base/options.h"

static const char USAGE[] =
        "plumbline probe: which engine answers at a URL, and what it really honours\n"
        "\n"
        "usage: plumbline probe URL [options]\n"
        "\n"
        "  --deep              spend a few tiny requests to see what is honoured\n"
        "  --risky             with --deep: also requests that hang or run away in some engines,\n"
        "                      one at a time; not for an engine that others use\n"
        "  --model NAME        ask for this model; default: the first one listed\n"
        "  --api-key-env VAR   the environment variable that holds the API key\n"
        "  --timeout TIME      of one generation (60s)\n"
        "  --ca-file FILE      certificates to trust\n"
        "  --json              for machines\n"
        "  --out FILE          write there instead of standard output\n"
        "\n"
        "Without --deep it only sends GETs, none of which generates or changes anything.\n"
        "Exit codes: 0 recognised, and no fault found; 1 a fault was found; 2 usage; 3 nothing\n"
        "answers, or questions find no answer in time; 4 what answers is not known, or by weak\n"
        "signs alone; with --deep: it gives no answer to any question.\n"
        "\n"
        "examples\n"
        "  plumbline probe http://127.0.0.1:8000\n"
        "  plumbline probe http://127.0.0.1:8000 --deep --risky\n"
        "  plumbline probe https://api.example.com --api-key-env API_KEY --json\n";

#define TIMEOUT_NS UINT64_C(60000000000)

struct options {
	const char *url, *model, *api_key, *ca_file, *out;
	uint64_t timeout_ms;
	bool deep, risky, json;
};

/* The line that a signal stops. */
static struct call_line *stoppable;

static void on_signal(int number)
{
	if (stoppable) {
		call_line_stop(stoppable);
	}
}

static void catch_signals(struct call_line *line)
{
	/* The second one ends the process as if nothing caught it. */
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	stoppable = line;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void on_step(void *arg, const char *what, unsigned requests)
{
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[Kprobing: %s (%u requests so far)", what, requests);
	}
}

static void end_progress(void)
{
	if (isatty(STDERR_FILENO)) {
		fputs("\r\033[K", stderr);
	}
}

static int exit_code(const struct probed *p)
{
	if (!p->identity->reachable) {
		return EXIT_RUNTIME;
	}
	if (!p->report) {
		return p->identity->sure < SURE_LIKELY ? EXIT_NOT_ENOUGH : EXIT_PASS;
	}
	if (p->report->stopped || p->report->mute) {
		return EXIT_RUNTIME;
	}
	if (p->report->no_route) {
		return EXIT_NOT_ENOUGH;
	}
	return p->report->n_findings && p->report->findings[0].gravity == GRAVITY_FAULT
	               ? EXIT_DIFFERENCE
	               : EXIT_PASS;
}

static int show(const struct options *o, const struct probed *p)
{
	FILE *out = o->out ? fopen(o->out, "w") : stdout;
	if (!out) {
		fprintf(stderr, "plumbline probe: %s can't be written: %s\n", o->out,
		        strerror(errno));
		return EXIT_USAGE;
	}
	struct buf text = {0};
	if (o->json) {
		probed_json(p, &text);
	} else {
		probed_card(p, !o->out && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"), &text);
	}
	bool good = fwrite(text.data, 1, text.len, out) == text.len && fflush(out) == 0;
	buf_finish(&text);
	if (o->out) {
		good = fclose(out) == 0 && good;
	}
	if (!good) {
		fprintf(stderr, "plumbline probe: the result could not be written: %s\n",
		        strerror(errno));
		return EXIT_RUNTIME;
	}
	return exit_code(p);
}

static int probe(const struct options *o, struct call_line *line)
{
	on_step(NULL, "who answers", 0);
	struct identity *i = identify(line, 0);
	struct probed p = {.url = call_line_url(line), .identity = i};
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
			        .timeout_ms = o->timeout_ms,
			        .risky = o->risky,
			        .on_step = on_step,
			});
		}
	}
	struct buf version = {0};
	const char *source, *told = probed_version(&p, &version, &source);
	if (m && told && !manifest_get(m, "engine.version")) {
		manifest_set(m, "engine.version", told, source);
	}
	buf_finish(&version);
	end_progress();
	if (!i->reachable) {
		fprintf(stderr, "plumbline probe: nothing answers at %s: %s\n", p.url,
		        i->problem ? i->problem : "stopped");
	}
	int code = i->reachable || o->json ? show(o, &p) : EXIT_RUNTIME;
	probe_report_destroy(r);
	manifest_destroy(m);
	identity_destroy(i);
	return code;
}

/* NULL, or the problem. */
static char *parse(int argc, char **argv, struct options *o, bool *ret_help)
{
	const char *variable = NULL;
	uint64_t timeout = TIMEOUT_NS;
	const struct option_slot slots[] = {
	        {"deep", .on = &o->deep},
	        {"risky", .on = &o->risky},
	        {"model", .text = &o->model},
	        {"api-key-env", .text = &variable},
	        {"timeout", .duration = &timeout},
	        {"ca-file", .text = &o->ca_file},
	        {"json", .on = &o->json},
	        {"out", .text = &o->out},
	        {0},
	};
	struct operands urls;
	char *problem = options_fill(argc, argv, slots, &urls);
	if (problem || urls.help) {
		*ret_help = !problem;
		return problem;
	}
	o->timeout_ms = timeout / 1000000;
	if (!o->timeout_ms) {
		return xstrdup("--timeout wants a millisecond at least");
	}
	if (variable && !(o->api_key = getenv(variable))) {
		return xasprintf("%.60s is not set in the environment", variable);
	}
	if (o->risky && !o->deep) {
		return xstrdup("--risky belongs to --deep");
	}
	if (urls.n != 1) {
		return urls.n ? xasprintf("one URL only, not %.60s", urls.words[1])
		              : xstrdup("the engine's URL is missing");
	}
	o->url = urls.words[0];
	return NULL;
}

int command_probe(int argc, char **argv)
{
	struct options o = {0};
	bool help = false;
	char *problem = parse(argc, argv, &o, &help);
	if (help) {
		fputs(USAGE, stdout);
		return EXIT_PASS;
	}
	if (problem) {
		fprintf(stderr, "plumbline probe: %s; see --help\n", problem);
		free(problem);
		return EXIT_USAGE;
	}
	struct base_url url = {0};
	char *error = engine_url_take(o.url, &url);
	struct call_line *line = error ? NULL
	                               : call_line_create(
	                                         &(struct call_line_settings){
	                                                 .url = url.url,
	                                                 .ca_file = o.ca_file,
	                                                 .api_key = o.api_key,
	                                         },
	                                         &error);
	base_url_finish(&url);
	if (!line) {
		fprintf(stderr, "plumbline probe: %s\n", error);
		free(error);
		return EXIT_USAGE;
	}
	catch_signals(line);
	int code = probe(&o, line);
	stoppable = NULL;
	call_line_destroy(line);
	return code;
}
