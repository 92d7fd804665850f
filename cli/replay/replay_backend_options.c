/*
 * replay_backend_options - the options that name an engine and change the requests to it.
 */
#include "base/mem.h"
#include "cli/replay/replay_backend.h"

static char *read_align(void *to, const char *name, const char *value)
{
	struct replay_backend_options *w = to;
	w->has_align = true;
	return align_parse(value, &w->align)
	               ? NULL
	               : xasprintf("--%s needs off, greedy or same, not %.60s", name, value);
}

const struct option_row REPLAY_BACKEND_OPTIONS[] = {
        {"config", 'c', "FILE", "look names up in this configuration file of a proxy",
                OPT_TEXT(struct replay_backend_options, config)},
        {"model", 0, "NAME", "name this model in each request",
                OPT_TEXT(struct replay_backend_options, model)},
        {"any-model", 0, NULL, "allow models that the engine does not list",
                OPT_BOOL(struct replay_backend_options, any_model)},
        {"any-server", 0, NULL, "skip the check that the URL is an inference engine",
                OPT_BOOL(struct replay_backend_options, any_server)},
        {"align", 0, "HOW",
                "sampling parameters: off: as recorded; greedy: always the most probable token; "
                "same: the defaults of the engine that answered first",
                OPT_CALL_ALL(read_align)},
        OPT_END,
};

const struct option_row REPLAY_ENGINE_OPTIONS[] = {
        {"dialect", 0, "NAME", "kind of the engine, if it is not recognised",
                OPT_TEXT(struct replay_backend_options, dialect)},
        {"api-key-env", 0, "VAR", "take the API key from this environment variable",
                OPT_TEXT(struct replay_backend_options, api_key_env)},
        OPT_END,
};
