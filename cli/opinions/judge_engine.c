#include "cli/opinions/judge_engine.h"

#include <stdlib.h>

#include "backends/identify.h"
#include "base/mem.h"
#include "cli/commands.h"

#define IDENTIFY_MS 2000
#define MODELS_SHOWN 5

/* NULL, or the problem. */
static char *find_key(const struct judge_engine_wish *w, struct judge_engine *e)
{
	const char *variable = w->key_variable ? w->key_variable : e->backend.api_key_env;
	e->line.api_key = variable ? getenv(variable) : NULL;
	return variable && !e->line.api_key
	               ? xasprintf("the environment variable %s is not set", variable)
	               : NULL;
}

static char *choose_dialect(
        const struct judge_engine_wish *w, const struct identity *who, struct judge_engine *e)
{
	const char *name = w->dialect ? w->dialect : e->backend.dialect;
	e->dialect = name ? dialect_find(name) : who->dialect;
	return e->dialect ? NULL : xasprintf("no dialect is called %.60s", name);
}

/* An engine with several models has to be told which; one that names none is not asked by name. */
static char *choose_model(
        const struct judge_engine_wish *w, const struct identity *who, struct judge_engine *e)
{
	if (w->model) {
		e->model = xstrdup(w->model);
		return NULL;
	}
	if (who->n_models < 2) {
		e->model = who->n_models ? xstrdup(who->models[0]) : NULL;
		return NULL;
	}
	struct buf names = {0};
	for (size_t i = 0; i < MIN(who->n_models, (size_t)MODELS_SHOWN); i++) {
		buf_printf(&names, "%s%.60s", i ? ", " : "", who->models[i]);
	}
	char *why = xasprintf("which model is to judge? Give --model; there are %s%s",
	        buf_cstr(&names), who->n_models > MODELS_SHOWN ? ", ..." : "");
	buf_finish(&names);
	return why;
}

static int look(const struct judge_engine_wish *w, struct call_line *line, struct judge_engine *e,
        char **ret_problem)
{
	struct identity *who = identify(line, IDENTIFY_MS);
	int code = EXIT_USAGE;
	if (!who->reachable) {
		code = EXIT_RUNTIME;
		*ret_problem = xasprintf("%s can't be reached at %s: %s", e->backend.name,
		        e->backend.url, who->problem ? who->problem : "no answer");
	} else {
		*ret_problem = choose_dialect(w, who, e);
		if (!*ret_problem) {
			*ret_problem = choose_model(w, who, e);
		}
	}
	identity_destroy(who);
	return *ret_problem ? code : EXIT_PASS;
}

int judge_engine_find(struct capture *c, const struct judge_engine_wish *w,
        struct judge_engine *ret, char **ret_problem)
{
	*ret = (struct judge_engine){0};
	*ret_problem = score_backend_find(c, w->config, w->name, w->url, &ret->backend);
	if (!*ret_problem) {
		*ret_problem = find_key(w, ret);
	}
	if (*ret_problem) {
		return EXIT_USAGE;
	}
	ret->line.url = ret->backend.url;
	ret->line.ca_file = ret->backend.ca_file;
	struct call_line *line = call_line_create(&ret->line, ret_problem);
	if (!line) {
		return EXIT_USAGE;
	}
	int code = look(w, line, ret, ret_problem);
	call_line_destroy(line);
	return code;
}

void judge_engine_finish(struct judge_engine *e)
{
	score_backend_finish(&e->backend);
	free(e->model);
	*e = (struct judge_engine){0};
}
