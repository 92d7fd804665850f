/*
 * plumbline proxy - shadow and record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "commands/commands.h"
#include "commands/engine_url.h"
#include "proxy/proxy.h"
#include "proxy/settings.h"

static const char USAGE[] =
        "usage: plumbline proxy --primary URL [options]\n"
        "       plumbline proxy -c FILE [options]\n"
        "\n"
        "Stands between clients and an engine, sends copies of their requests to other engines, "
        "and\n"
        "records all answers. The client sees the primary's answers, untouched.\n"
        "\n"
        "  --listen HOST:PORT     where clients connect (127.0.0.1:8080)\n"
        "  --primary URL          the engine that serves the clients\n"
        "  --reference URL        gets a copy of each request, trusted more than the primary;\n"
        "                         may be given several times\n"
        "  --candidate URL        gets a copy of each request, on trial against the primary;\n"
        "                         may be given several times\n"
        "  --capture DIR          where to record; made if absent; nothing is recorded without it\n"
        "  --admin HOST:PORT      /healthz, /readyz and /metrics; none when absent\n"
        "  --workers N            event loops (1)\n"
        "  --transport auto|curl  how backends are spoken to; auto: plain http without libcurl\n"
        "  --inject WHERE         ask for logprobs where the client did not, and hide them from "
        "it:\n"
        "                         both, references, off or always (both)\n"
        "  --top-logprobs N       alternatives a token to ask for (5)\n"
        "  --plain-share S        of the requests that could be asked for more, so many are not "
        "(1%)\n"
        "  --max-slowdown X|off   end asking where it makes answers take longer by this (0.1)\n"
        "  --poll TIME|off        how often each backend is asked who it is (10m); off: never\n"
        "  --log-level LEVEL      error, warn, info or debug (info)\n"
        "  -c, --config FILE      YAML with all of this and more; flags override it\n"
        "  --check-config         print the settings as JSON and stop\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline proxy --primary http://127.0.0.1:8101 --reference http://127.0.0.1:8102 "
        "--capture "
        "capture\n"
        "  plumbline proxy -c configs/proxy.yaml --check-config\n"
        "\n"
        "SIGTERM or SIGINT: no new connections, running answers finish; a second one stops at "
        "once.\n"
        "SIGHUP: the file is read again; what begins then goes by it, and no connection is lost.\n"
        "exit codes: 0 stopped as told, 2 command line or configuration, 3 run-time error\n";

struct options {
	const char *config;
	bool check_only;
	bool help;
	struct settings_flag *flags;
	size_t n_flags;
};

/* Splits argv into options; the problem of a flag's value is the settings' business. NULL, or the
 * problem. */
static char *parse_options(int argc, char **argv, struct options *ret)
{
	ret->flags = xcalloc((size_t)argc, sizeof(*ret->flags));
	for (int i = 1; i < argc; i++) {
		char *arg = argv[i];
		if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0) {
			ret->help = true;
			return NULL;
		}
		if (strcmp(arg, "--check-config") == 0) {
			ret->check_only = true;
			continue;
		}
		bool short_config = strcmp(arg, "-c") == 0;
		if (!short_config && strncmp(arg, "--", 2) != 0) {
			return xasprintf("\"%.60s\" is not expected here", arg);
		}
		char *name = short_config ? (char *)"config" : arg + 2;
		char *equals = short_config ? NULL : strchr(name, '=');
		const char *value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
		if (equals) {
			*equals = '\0';
		}
		if (!value) {
			return settings_knows_flag(name) ? xasprintf("--%.60s needs a value", name)
			                                 : settings_unknown_flag(name);
		}
		if (strcmp(name, "check-config") == 0 || strcmp(name, "help") == 0) {
			return xasprintf("--%s takes no value", name);
		}
		if (strcmp(name, "config") == 0) {
			ret->config = value;
		} else {
			ret->flags[ret->n_flags++] = (struct settings_flag){name, value};
		}
	}
	return NULL;
}

static int refuse(char *problem)
{
	fprintf(stderr, "plumbline proxy: %s\n", problem);
	free(problem);
	return EXIT_USAGE;
}

static int run(const struct options *options)
{
	char *problem = NULL;
	struct settings *s =
	        settings_load(options->config, options->flags, options->n_flags, &problem);
	if (!s) {
		return refuse(problem);
	}
	problem = settings_check_self(s, options->config);
	if (problem) {
		settings_unref(s);
		return refuse(problem);
	}
	int code = EXIT_PASS;
	if (options->check_only) {
		char *json = settings_json(s);
		engine_url_tell_all(s);
		puts(json);
		free(json);
	} else {
		log_set_level((enum log_level)s->log_level);
		log_set_json(s->log_json_set ? s->log_json : -1);
		const struct settings_source source = {
		        options->config, options->flags, options->n_flags};
		code = proxy_run(s, &source);
	}
	settings_unref(s);
	return code;
}

int command_proxy(int argc, char **argv)
{
	struct options options = {0};
	char *problem = parse_options(argc, argv, &options);
	int code = EXIT_PASS;
	if (problem) {
		code = refuse(problem);
	} else if (options.help) {
		fputs(USAGE, stdout);
	} else if (argc == 1) {
		fputs(USAGE, stderr);
		code = EXIT_USAGE;
	} else {
		code = run(&options);
	}
	free(options.flags);
	return code;
}
