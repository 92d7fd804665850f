#include "cli/replay/replay_backend_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/mem.h"
#include "cli/engine_url.h"
#include "cli/known_backend.h"
#include "cli/target_hint.h"
#include "cli/verb.h"
#include "proxy/settings/settings.h"

/* What owns the strings and lists of a target. */
struct origin {
	struct settings *settings;
	struct known_backend found;
	char *name;
	struct base_url url; /* not set if a configuration has the URL */
};

static void origin_destroy(void *arg)
{
	struct origin *o = arg;
	if (o->settings) {
		settings_unref(o->settings);
	}
	known_backend_finish(&o->found);
	free(o->name);
	base_url_finish(&o->url);
	free(o);
}

static void take_settings(struct target *t, const struct backend_settings *s)
{
	t->name = s->name;
	t->url = s->url;
	t->base_path = s->base_path;
	t->ca_file = s->ca_file;
	t->api_key = s->api_key;
	t->replica_header = s->replica_header;
	/* no client gets the answer to a replay, even if the primary gives it */
	t->role = s->role == ROLE_PRIMARY ? ROLE_CANDIDATE : s->role;
	t->dialect = s->dialect;
	t->rules = s->rules;
}

/* where: the place that was searched, and what the user can do. */
static int fail_unknown(const struct replay_backend_options *w, const char *where)
{
	char *hint = target_hint(w->to);
	int code = verb_fail(w->command, EXIT_USAGE, xasprintf("%s%s", where, hint));
	free(hint);
	return code;
}

static int find_in_config(struct replay_backend *b, const struct replay_backend_options *w)
{
	struct origin *origin = b->origin;
	char *error = NULL;
	origin->settings = settings_load(w->config, NULL, 0, &error);
	if (!origin->settings) {
		return verb_fail(w->command, EXIT_USAGE, error);
	}
	const struct settings *s = origin->settings;
	struct buf names = {0};
	buf_append_str(&names, s->primary.name);
	const struct backend_settings *found =
	        strcmp(s->primary.name, w->to) == 0 ? &s->primary : NULL;
	for (size_t i = 0; i < s->n_references; i++) {
		buf_printf(&names, ", %s", s->references[i].name);
		if (strcmp(s->references[i].name, w->to) == 0) {
			found = &s->references[i];
		}
	}
	int code = EXIT_PASS;
	if (found) {
		take_settings(&b->target, found);
		b->key_variable = found->api_key_env;
		engine_url_report(s, found->name);
	} else {
		char *where = xasprintf("no backend %s is in %s, which has: %s", w->to, w->config,
		        buf_cstr(&names));
		code = fail_unknown(w, where);
		free(where);
	}
	buf_finish(&names);
	return code;
}

static int take_url(struct replay_backend *b, const struct replay_backend_options *w)
{
	struct origin *origin = b->origin;
	char *problem = engine_url_parse(w->to, &origin->url);
	if (problem) {
		return verb_fail(w->command, EXIT_USAGE, problem);
	}
	origin->name = engine_url_host(origin->url.url);
	b->target = (struct target){
	        .name = origin->name,
	        .url = origin->url.url,
	        .base_path = origin->url.path,
	        .role = ROLE_CANDIDATE,
	};
	return EXIT_PASS;
}

static int find_in_capture(
        struct replay_backend *b, struct capture *c, const struct replay_backend_options *w)
{
	struct origin *origin = b->origin;
	char *problem = known_backend_find(c, NULL, w->to, NULL, &origin->found);
	if (problem) {
		free(problem);
		problem = xasprintf("no backend %s is in the capture's settings; give its URL, or "
		                    "-c FILE with a configuration that has it",
		        w->to);
		int code = fail_unknown(w, problem);
		free(problem);
		return code;
	}
	const struct known_backend *f = &origin->found;
	problem = engine_url_parse(f->url, &origin->url);
	if (problem) {
		return verb_fail(w->command, EXIT_USAGE, problem);
	}
	b->target = (struct target){
	        .name = f->name,
	        .url = origin->url.url,
	        .base_path = origin->url.path,
	        .ca_file = f->ca_file,
	        .role = f->is_primary ? ROLE_CANDIDATE : f->role,
	        .dialect = f->dialect ? dialect_find(f->dialect) : NULL,
	        .rules = f->rules,
	};
	if (f->model) {
		replay_backend_ask_for(b, f->model);
	}
	return EXIT_PASS;
}

static void take_wishes(struct replay_backend *b, const struct replay_backend_options *w)
{
	struct target *t = &b->target;
	struct copy_rules *rules = &t->rules;
	t->name = w->name ? w->name : t->name;
	rules->align = w->has_align ? w->align : rules->align;
	rules->thinking = w->thinking != THINKING_AS_ASKED ? w->thinking : rules->thinking;
	if (w->completions_template) {
		rules->completions_template = w->completions_template;
	}
	for (size_t i = 0; i < w->n_members; i++) {
		replay_backend_set(b, w->members[i].name, w->members[i].json);
	}
	if (w->model) {
		replay_backend_ask_for(b, w->model);
	}
}

int replay_backend_find(
        struct replay_backend *b, struct capture *c, const struct replay_backend_options *w)
{
	int code = EXIT_PASS;
	b->origin = xcalloc(1, sizeof(struct origin));
	b->origin_destroy = origin_destroy;
	if (base_url_is_one(w->to)) {
		code = take_url(b, w);
	} else if (w->config) {
		code = find_in_config(b, w);
	} else if (c) {
		code = find_in_capture(b, c, w);
	} else {
		char *where =
		        xasprintf("--to %s is not a URL; to look a name up, give -c FILE", w->to);
		code = fail_unknown(w, where);
		free(where);
	}
	if (code != EXIT_PASS) {
		return code;
	}
	struct target *t = &b->target;
	take_wishes(b, w);
	char *problem = w->api_key_env ? environment_read(w->api_key_env, &t->api_key) : NULL;
	b->key_variable = w->api_key_env ? w->api_key_env : b->key_variable;
	if (!problem && w->dialect) {
		problem = dialect_parse(w->dialect, &t->dialect);
	}
	return problem ? verb_fail(w->command, EXIT_USAGE, problem) : EXIT_PASS;
}

int replay_targets_find(struct campaign *c)
{
	int code = campaign_open(c);
	for (size_t i = 0; i < c->n_targets && code == EXIT_PASS; i++) {
		code = replay_backend_find(&c->backends[i], c->n_sources ? c->captures[0] : NULL,
		        &c->targets[i].backend);
	}
	return code == EXIT_PASS ? campaign_prepare(c) : code;
}
