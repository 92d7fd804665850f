/*
 * The command line. A flag overrides the file; --reference and --candidate add to the file's
 * backends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/settings_parts.h"

static char *problem_of(const char *name, const char *problem)
{
	return problem ? xasprintf("--%s %s", name, problem) : NULL;
}

static char *read_listen(void *to, const char *name, const char *value)
{
	return problem_of(name, settings_parse_address(value, "0.0.0.0", to));
}

static char *read_admin(void *to, const char *name, const char *value)
{
	return problem_of(name, settings_parse_address(value, "127.0.0.1", to));
}

static char *read_url(void *to, const char *name, const char *value)
{
	char *problem = settings_read_url(value, 0, to);
	char *said = problem ? xasprintf("--%s: %s", name, problem) : NULL;
	free(problem);
	return said;
}

static char *add_backend(struct settings *s, enum role role, const char *name, const char *value)
{
	struct backend_settings *to = settings_add_reference(s, role);
	return to ? read_url(to, name, value)
	          : xasprintf("--%s is one backend too many; %d are the limit", name,
	                    SETTINGS_REFERENCES_LIMIT);
}

static char *read_reference(void *to, const char *name, const char *value)
{
	return add_backend(to, ROLE_REFERENCE, name, value);
}

static char *read_candidate(void *to, const char *name, const char *value)
{
	return add_backend(to, ROLE_CANDIDATE, name, value);
}

static char *read_capture(void *to, const char *name, const char *value)
{
	settings_replace(to, value);
	return *value ? NULL : problem_of(name, "must name a directory");
}

static char *read_slowdown(void *to, const char *name, const char *value)
{
	return problem_of(name, settings_parse_slowdown(value, to));
}

/* For all backends, those of the file included. */
static char *read_poll(void *to, const char *name, const char *value)
{
	struct settings *s = to;
	uint64_t poll = 0;
	if (!settings_parse_poll(value, &poll)) {
		return xasprintf("--%s must be off, or a time of a second and more, like 10m, not "
		                 "\"%.60s\"",
		        name, value);
	}
	s->primary.poll = poll;
	for (size_t i = 0; i < s->n_references; i++) {
		s->references[i].poll = poll;
	}
	return NULL;
}

const struct option_row SETTINGS_OPTIONS[] = {
        {"listen", 0, "HOST:PORT", "listen for clients there (127.0.0.1:8080)",
                OPT_CALL(struct settings, listen, read_listen)},
        {"primary", 0, "URL", "the engine that serves the clients",
                OPT_CALL(struct settings, primary, read_url)},
        {"reference", 0, "URL",
                "send it a copy of each request, and trust it more than the primary; may be given "
                "several times",
                OPT_CALL_ALL(read_reference)},
        {"candidate", 0, "URL",
                "send it a copy of each request, and judge it by the primary; may be given several "
                "times",
                OPT_CALL_ALL(read_candidate)},
        {"capture", 0, "DIR",
                "record there; created if it does not exist. Nothing is recorded without it",
                OPT_CALL(struct settings, capture_path, read_capture)},
        {"admin", 0, "HOST:PORT", "serve /healthz, /readyz and /metrics there (nowhere)",
                OPT_CALL(struct settings, admin, read_admin)},
        {"workers", 0, "N", "event loops (1)", OPT_NUMBER(struct settings, workers, 1, 256)},
        {"transport", 0, "WHAT",
                "auto, or curl: libcurl speaks to all backends, plain http included (auto)",
                OPT_WORD(struct settings, by_curl, SETTINGS_TRANSPORT_WORDS)},
        {"inject", 0, "WHERE",
                "ask for logprobs where the client did not, and hide them from it: both, "
                "references, off or always (both)",
                OPT_WORD(struct settings, inject, SETTINGS_INJECT_WORDS)},
        {"top-logprobs", 0, "N", "ask for N alternatives a token (5)",
                OPT_NUMBER(struct settings, top_logprobs, 0, 100)},
        {"plain-share", 0, "SHARE",
                "leave this share of the requests without injected logprobs (1%)",
                OPT_SHARE(struct settings, plain_share)},
        {"max-slowdown", 0, "X|off", "stop injecting where answers take longer by this share (0.1)",
                OPT_CALL(struct settings, max_slowdown, read_slowdown)},
        {"poll", 0, "TIME|off", "how often each backend is asked which engine it is (10m)",
                OPT_CALL_ALL(read_poll)},
        {"log-level", 0, "LEVEL", "error, warn, info or debug (info)",
                OPT_WORD(struct settings, log_level, SETTINGS_LEVEL_WORDS)},
        OPT_END,
};

char *settings_read_flags(struct settings *s, const struct option_value *flags, size_t n)
{
	char *problem = NULL;
	for (size_t i = 0; i < n && !problem; i++) {
		problem = options_set(SETTINGS_OPTIONS, s, &flags[i]);
	}
	/* Again, now that all backends are there. */
	for (size_t i = 0; i < n && !problem; i++) {
		if (strcmp(flags[i].name, "poll") == 0) {
			problem = options_set(SETTINGS_OPTIONS, s, &flags[i]);
		}
	}
	return problem;
}
