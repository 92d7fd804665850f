/*
 * replay_backend_model - which models the requests to a backend name, and whether the backend has
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/engine_detection.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/shell.h"
#include "cli/verb.h"
#include "cli/replay/replay_backend.h"

/* The value that the rules set for a member of the requests, if it is a string; else NULL. */
static char *set_text(const struct copy_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->n_members; i++) {
		const struct member_setting *m = &rules->members[i];
		if (strcmp(m->name, name) != 0) {
			continue;
		}
		char *object = xasprintf("{\"value\":%s}", m->json ? m->json : "null");
		struct json_token value;
		bool is_text = json_find_member(span_of(object), "value", &value, NULL) &&
		               value.type == JSON_TOKEN_STRING;
		char *text = is_text ? json_token_dup(&value) : NULL;
		free(object);
		return text;
	}
	return NULL;
}

char *replay_backend_names(const struct replay_backend *b, const char *model)
{
	const char *mapped = copy_body_model(&b->target.rules, model);
	char *set = mapped ? NULL : set_text(&b->target.rules, "model");
	return set ? set : xstrdup(mapped ? mapped : model);
}

/* Tells the user how to name the model. With several targets, each has its own. A model that the
 * engine lists serves as the example. */
static char *model_hint(const struct engine_identity *i, const struct replay_backend_options *w)
{
	const char *model = i->n_models ? i->models[0] : "MODEL";
	struct buf word = {0}, hint = {0};
	if (!w->of_several) {
		buf_append_str(&hint, "--model ");
		shell_put_word(&hint, model);
		return buf_steal(&hint);
	}
	buf_printf(
	        &word, "%s%s%s,model=%s", w->name ? w->name : "", w->name ? "=" : "", w->to, model);
	shell_put_word(&hint, buf_cstr(&word));
	buf_finish(&word);
	return buf_steal(&hint);
}

int replay_backend_check_models(const struct replay_backend *b,
        const struct replay_backend_options *w, const struct source_scan *scan)
{
	const struct engine_identity *i = b->engine;
	if (w->any_model || i->n_models == 0) {
		return EXIT_PASS;
	}
	struct buf has = {0}, lacks = {0};
	for (size_t m = 0; m < i->n_models && m < 20; m++) {
		buf_printf(&has, "%s%s", m ? ", " : "", i->models[m]);
	}
	for (size_t m = 0; m < scan->n_models; m++) {
		char *name = replay_backend_names(b, scan->models[m]);
		if (*name && !engine_identity_lists(i, name) && !strstr(buf_cstr(&lacks), name)) {
			buf_printf(&lacks, "%s%s", lacks.len ? ", " : "", name);
		}
		free(name);
	}
	int code = EXIT_PASS;
	if (lacks.len) {
		char *hint = model_hint(i, w);
		code = verb_fail(w->command, EXIT_USAGE,
		        xasprintf("%s does not list the requested model %s. It has: %s. Give %s, "
		                  "or --any-model to send anyway; nothing was sent",
		                b->target.name, buf_cstr(&lacks), buf_cstr(&has), hint));
		free(hint);
	}
	buf_finish(&has);
	buf_finish(&lacks);
	return code;
}

static bool sets_model(const struct copy_rules *rules)
{
	for (size_t i = 0; i < rules->n_members; i++) {
		if (rules->members[i].json && strcmp(rules->members[i].name, "model") == 0) {
			return true;
		}
	}
	return false;
}

int replay_backend_choose_model(struct replay_backend *b, const struct replay_backend_options *w)
{
	const struct engine_identity *i = b->engine;
	if (w->model || sets_model(&b->target.rules)) {
		return EXIT_PASS;
	}
	if (i->n_models == 1) {
		replay_backend_ask_for(b, i->models[0]);
		return EXIT_PASS;
	}
	struct buf has = {0};
	for (size_t m = 0; m < i->n_models && m < 20; m++) {
		buf_printf(&has, "%s%s", m ? ", " : "", i->models[m]);
	}
	char *hint = model_hint(i, w);
	int code = verb_fail(w->command, EXIT_USAGE,
	        xasprintf("the suite names no model, and %s lists %s%s: give %s; nothing was sent",
	                b->target.name, has.len ? "several: " : "none", buf_cstr(&has), hint));
	free(hint);
	buf_finish(&has);
	return code;
}
