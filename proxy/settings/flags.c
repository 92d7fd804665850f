#include "proxy/settings/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/settings/backends.h"
#include "proxy/settings/types.h"

/* Reads a flag that sets a key. The key's row has the member, the limits and the words. */
static char *read_key(void *to, const char *name, const char *value)
{
	return setting_set_flag(SETTINGS_KEYS, name, value, to);
}

static char *problem_of(const char *name, char *problem)
{
	char *named = problem ? xasprintf("--%s: %s", name, problem) : NULL;
	free(problem);
	return named;
}

static char *read_primary(void *to, const char *name, const char *value)
{
	struct settings *s = to;
	return problem_of(name, setting_url.parse(value, 0, &s->primary));
}

static char *add_backend(struct settings *s, enum role role, const char *name, const char *value)
{
	struct backend_settings *b = settings_add_reference(s, role);
	return b ? problem_of(name, setting_url.parse(value, 0, b))
	         : xasprintf("--%s is one backend too many; the limit is %d", name,
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

static char *read_poll(void *to, const char *name, const char *value)
{
	struct settings *s = to;
	char *problem = problem_of(name, setting_poll.parse(value, 0, &s->primary.poll));
	for (size_t i = 0; !problem && i < s->n_references; i++) {
		s->references[i].poll = s->primary.poll;
	}
	return problem;
}

const struct option_row SETTINGS_OPTIONS[] = {
        {"listen", 0, "HOST:PORT", "listen for clients on this address (127.0.0.1:8080)",
                OPT_CALL_ALL(read_key)},
        {"primary", 0, "URL", "forward requests to this engine, which serves the clients",
                OPT_CALL_ALL(read_primary)},
        {"reference", 0, "URL",
                "send this engine a copy of each request, and trust it more than the primary; may "
                "be given several times",
                OPT_CALL_ALL(read_reference)},
        {"candidate", 0, "URL",
                "send this engine a copy of each request, and compare it with the primary; may be "
                "given several times",
                OPT_CALL_ALL(read_candidate)},
        {"capture", 0, "DIR",
                "record in this directory, which plumbline creates if needed; without it, nothing "
                "is recorded",
                OPT_CALL_ALL(read_key)},
        {"admin", 0, "HOST:PORT", "serve /healthz, /readyz and /metrics on this address (none)",
                OPT_CALL_ALL(read_key)},
        {"workers", 0, "N", "event loops (1)", OPT_CALL_ALL(read_key)},
        {"transport", 0, "WHAT",
                "use this HTTP client for backends. auto: plumbline's own for http, libcurl for "
                "https; curl: libcurl for both (auto)",
                OPT_CALL_ALL(read_key)},
        {"inject", 0, "WHERE",
                "request logprobs, which clients do not get, from these backends: both: the "
                "references, and the primary unless logprobs harm its answers; always: all; "
                "references: the references only; off: none (both)",
                OPT_CALL_ALL(read_key)},
        {"top-logprobs", 0, "N", "request N alternatives for each token (5)",
                OPT_CALL_ALL(read_key)},
        {"plain-share", 0, "SHARE",
                "leave this share of the requests to the primary unchanged (1%)",
                OPT_CALL_ALL(read_key)},
        {"max-slowdown", 0, "X|off",
                "stop requesting logprobs where they slow answers by more than this share (0.1)",
                OPT_CALL_ALL(read_key)},
        {"poll", 0, "TIME|off", "ask each backend at this interval which engine it is (10m)",
                OPT_CALL_ALL(read_poll)},
        {"log-level", 0, "LEVEL",
                "log lines of this level and above: error, warn, info or debug (info)",
                OPT_CALL_ALL(read_key)},
        OPT_END,
};

char *settings_read_flags(struct settings *s, const struct option_value *flags, size_t n)
{
	char *problem = NULL;
	for (size_t i = 0; i < n && !problem; i++) {
		problem = options_set(SETTINGS_OPTIONS, s, &flags[i]);
	}
	/* Set --poll once more, because it applies to all backends, which exist only now. */
	for (size_t i = 0; i < n && !problem; i++) {
		if (strcmp(flags[i].name, "poll") == 0) {
			problem = options_set(SETTINGS_OPTIONS, s, &flags[i]);
		}
	}
	return problem;
}
