#include "cli/opinions/opinion_engine.h"

#include <stdlib.h>

#include "backends/engine_detection.h"
#include "backends/manifest_collect.h"
#include "base/environment.h"
#include "base/exit_code.h"
#include "base/mem.h"

#define IDENTIFY_MS 2000
#define MODELS_SHOWN 5

const struct option_row OPINION_ENGINE_OPTIONS[] = {
        {"config", 'c', "FILE", "look the name up in this configuration file of a proxy",
                OPT_TEXT(struct opinion_engine_options, config)},
        {"api-key-env", 0, "VAR",
                "take the engine's API key from this environment variable (as -c FILE says)",
                OPT_TEXT(struct opinion_engine_options, key_variable)},
        {"dialect", 0, "NAME", "kind of the engine, if it is not recognised",
                OPT_TEXT(struct opinion_engine_options, dialect)},
        OPT_END,
};

static int identify(const struct opinion_engine_options *w, struct call_line *line,
        struct opinion_engine *e, char **ret_problem)
{
	const char *name = w->dialect ? w->dialect : e->backend.dialect;
	e->identity = engine_detect(line, &(struct engine_detection){.timeout_ms = IDENTIFY_MS});
	if (!e->identity->reachable) {
		*ret_problem = xasprintf("%s can't be reached at %s: %s", e->backend.name,
		        e->backend.url, e->identity->problem ? e->identity->problem : "no answer");
		return EXIT_RUNTIME;
	}
	e->dialect = e->identity->dialect;
	if (w->with_manifest) {
		e->manifest = manifest_collect(line, e->identity, e->backend.model);
	}
	*ret_problem = name ? dialect_parse(name, &e->dialect) : NULL;
	return *ret_problem ? EXIT_USAGE : EXIT_PASS;
}

int opinion_engine_find(struct capture *c, const struct opinion_engine_options *w,
        struct opinion_engine *ret, char **ret_problem)
{
	*ret = (struct opinion_engine){0};
	*ret_problem = known_backend_find(c, w->config, w->name, w->url, &ret->backend);
	if (!*ret_problem) {
		const char *variable = w->key_variable ? w->key_variable : ret->backend.api_key_env;
		*ret_problem = variable ? environment_read(variable, &ret->line.api_key) : NULL;
	}
	if (*ret_problem) {
		return EXIT_USAGE;
	}
	ret->line.url = ret->backend.url;
	ret->line.ca_file = ret->backend.ca_file;
	struct call_line *line = call_line_create(&ret->line, ret_problem);
	int code = line ? identify(w, line, ret, ret_problem) : EXIT_USAGE;
	call_line_destroy(line);
	return code;
}

char *opinion_engine_model(const struct opinion_engine *e, const char *wanted, const char **ret)
{
	const struct engine_identity *who = e->identity;
	struct buf names = {0};
	*ret = wanted ? wanted : who->n_models ? who->models[0] : NULL;
	if (wanted || who->n_models < 2) {
		return NULL;
	}
	for (size_t i = 0; i < MIN(who->n_models, (size_t)MODELS_SHOWN); i++) {
		buf_printf(&names, "%s%.60s", i ? ", " : "", who->models[i]);
	}
	char *why = xasprintf("no model is given: add --model; the engine has %s%s",
	        buf_cstr(&names), who->n_models > MODELS_SHOWN ? ", ..." : "");
	buf_finish(&names);
	return why;
}

void opinion_engine_finish(struct opinion_engine *e)
{
	known_backend_finish(&e->backend);
	engine_identity_destroy(e->identity);
	manifest_destroy(e->manifest);
	*e = (struct opinion_engine){0};
}
