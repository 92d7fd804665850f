#include "cli/replay/replay_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine_detection.h"
#include "backends/manifest_collect.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/record_json.h"
#include "cli/verb.h"
#include "cli/engine_url.h"
#include "capture/recording.h"
#include "cli/target_hint.h"
#include "proxy/settings/settings.h"

#define GET_MS 2000
#define SLOW_NS UINT64_C(3000000000) /* after this time it prints what it waits for */

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
	char *error = NULL;
	b->settings = settings_load(w->config, NULL, 0, &error);
	if (!b->settings) {
		return verb_fail(w->command, EXIT_USAGE, error);
	}
	const struct settings *s = b->settings;
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
	char *problem = engine_url_parse(w->to, &b->url);
	if (problem) {
		return verb_fail(w->command, EXIT_USAGE, problem);
	}
	b->name = engine_url_host(b->url.url);
	b->target = (struct target){
	        .name = b->name,
	        .url = b->url.url,
	        .base_path = b->url.path,
	        .role = ROLE_CANDIDATE,
	};
	return EXIT_PASS;
}

/* Makes room for one more member before the existing ones. */
static struct member_setting *own_member(struct replay_backend *b)
{
	struct copy_rules *rules = &b->target.rules;
	struct member_setting *members = xcalloc(rules->n_members + 1, sizeof(*members));
	for (size_t i = 0; i < rules->n_members; i++) {
		members[i + 1] = rules->members[i];
	}
	free(b->members);
	b->members = members;
	b->n_own++;
	rules->members = members;
	rules->n_members++;
	return members;
}

void replay_backend_set(struct replay_backend *b, const char *name, const char *json)
{
	struct member_setting *found = NULL;
	for (size_t i = 0; i < b->n_own; i++) {
		found = strcmp(b->members[i].name, name) == 0 ? &b->members[i] : found;
	}
	if (!found) {
		found = own_member(b);
		found->name = xstrdup(name);
	}
	free(found->json);
	found->json = json ? xstrdup(json) : NULL;
}

/* Uses one model for all requests, by setting a member in each. */
void replay_backend_ask_for(struct replay_backend *b, const char *model)
{
	struct buf json = {0};
	json_put_string(&json, span_of(model));
	replay_backend_set(b, "model", buf_cstr(&json));
	buf_finish(&json);
	b->target.rules.n_models = 0;
}

static int find_in_capture(
        struct replay_backend *b, struct capture *c, const struct replay_backend_options *w)
{
	char *problem = score_backend_find(c, NULL, w->to, NULL, &b->found);
	if (problem) {
		free(problem);
		problem = xasprintf("no backend %s is in the capture's settings; give its URL, or "
		                    "-c FILE with a configuration that has it",
		        w->to);
		int code = fail_unknown(w, problem);
		free(problem);
		return code;
	}
	const struct score_backend *f = &b->found;
	problem = engine_url_parse(f->url, &b->url);
	if (problem) {
		return verb_fail(w->command, EXIT_USAGE, problem);
	}
	b->models = xcalloc(f->n_models + 1, sizeof(*b->models));
	for (size_t i = 0; i < f->n_models; i++) {
		b->models[i] = (struct model_map){f->models[2 * i], f->models[2 * i + 1]};
	}
	b->target = (struct target){
	        .name = f->name,
	        .url = b->url.url,
	        .base_path = b->url.path,
	        .ca_file = f->ca_file,
	        .role = f->is_primary ? ROLE_CANDIDATE : f->role,
	        .dialect = f->dialect ? dialect_find(f->dialect) : NULL,
	        .rules = {.align = f->align,
	                .thinking = f->thinking,
	                .completions_template = f->completions_template,
	                .models = b->models,
	                .n_models = f->n_models},
	};
	for (size_t i = 0; i < f->n_members; i++) {
		replay_backend_set(b, f->members[i].name, f->members[i].json);
	}
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

/* Fails if the server refuses GETs or is no engine, because no request could succeed. */
static int check_server(const struct target *t, const struct engine_identity *i,
        const struct replay_backend_options *w)
{
	int locked = engine_identity_locked(i);
	const struct engine_response *models = engine_identity_response(i, "v1/models");
	if (w->any_server ||
	        (!locked && engine_identity_answers(i) && engine_identity_any_complete(i))) {
		return EXIT_PASS;
	}
	if (locked) {
		return verb_fail(w->command, EXIT_RUNTIME,
		        xasprintf("%s at %s answers GET /v1/models with %d: %s. "
		                  "--any-server sends anyway; nothing was sent",
		                t->name, t->url, locked,
		                t->api_key ? "it does not take the API key that it was given"
		                           : "it requires an API key; name the variable that holds "
		                             "it: --api-key-env NAME"));
	}
	if (!engine_identity_any_complete(i)) {
		return verb_fail(w->command, EXIT_RUNTIME,
		        xasprintf("%s at %s begins to answer, but none of its answers is "
		                  "complete%s%s. --any-server skips this check; nothing was sent",
		                t->name, t->url, i->problem ? ": " : "",
		                i->problem ? i->problem : ""));
	}
	return verb_fail(w->command, EXIT_RUNTIME,
	        xasprintf("%s at %s does not look like an inference engine: GET /v1/models gives "
	                  "%d%s, and no other path identifies one. Is the URL right? If it is a "
	                  "gateway without these paths, use --any-server; nothing was sent",
	                t->name, t->url, models ? models->status : 0,
	                models && models->status >= 300 && models->status < 400
	                        ? " (a redirect, which is not followed)"
	                : models && models->status == 200 ? " and no JSON"
	                                                  : ""));
}

/* Prints a message while it waits for a slow server. */
struct slow_notice {
	const struct target *target;
	const char *command;
	uint64_t began;
	bool printed;
};

static void print_waiting(void *arg, const char *path)
{
	struct slow_notice *p = arg;
	if (!p->printed && clock_mono() - p->began > SLOW_NS) {
		fprintf(stderr,
		        "plumbline %s: %s at %s answers slowly; plumbline still asks which engine "
		        "it is (GET %s%s)\n",
		        p->command, p->target->name, p->target->url, *path == '/' ? "" : "/", path);
		p->printed = true;
	}
}

/* Whether the server took a request, even if every answer broke off. */
static bool has_answered(const struct engine_identity *i)
{
	for (size_t k = 0; k < i->n_responses; k++) {
		if (i->responses[k].end == CALL_BROKEN) {
			return true;
		}
	}
	return i->reachable;
}

int replay_backend_identify(struct replay_backend *b, const struct replay_backend_options *w)
{
	struct target *t = &b->target;
	const struct call_line_settings settings = {
	        .url = t->url, .ca_file = t->ca_file, .api_key = t->api_key};
	char *error = NULL;
	struct call_line *line = call_line_create(&settings, &error);
	if (!line) {
		return verb_fail(w->command, EXIT_USAGE, error);
	}
	struct slow_notice notice = {.target = t, .command = w->command, .began = clock_mono()};
	b->engine = engine_detect(
	        line, &(struct engine_detection){
	                      .timeout_ms = GET_MS, .on_path = print_waiting, .arg = &notice});
	int code = EXIT_PASS;
	if (!has_answered(b->engine)) {
		code = verb_fail(w->command, EXIT_RUNTIME,
		        xasprintf("%s can't be reached at %s: %s; nothing was sent", t->name,
		                t->url, b->engine->problem ? b->engine->problem : "no answer"));
	} else {
		code = check_server(t, b->engine, w);
	}
	if (code == EXIT_PASS) {
		t->dialect = t->dialect ? t->dialect : b->engine->dialect;
		b->manifest = manifest_collect(line, b->engine, w->model);
	}
	call_line_destroy(line);
	return code;
}

const char *replay_backend_version(const struct replay_backend *b)
{
	return b->engine->dialect == b->target.dialect ? b->engine->version : NULL;
}

const char *replay_backend_model(const struct replay_backend *b)
{
	for (size_t i = 0; i < b->n_own; i++) {
		if (strcmp(b->members[i].name, "model") == 0) {
			return b->members[i].json;
		}
	}
	return NULL;
}

/* As settings_json() writes the rules of a reference, so that a later replay can use them. */
static void describe_rules(const struct copy_rules *r, struct json_writer *w)
{
	json_writer_text(w, "align", align_name(r->align));
	json_writer_text(w, "thinking", THINKING_NAMES[r->thinking]);
	if (r->completions_template) {
		json_writer_text(w, "completions_template", template_name(r->completions_template));
	}
	json_writer_open(w, "set", '{');
	for (size_t i = 0; i < r->n_members; i++) {
		const struct member_setting *m = &r->members[i];
		if (m->json && strcmp(m->name, "model") != 0) {
			json_writer_raw(w, m->name, span_of(m->json));
		}
	}
	json_writer_close(w, "}");
	json_writer_open(w, "unset", '[');
	for (size_t i = 0; i < r->n_members; i++) {
		if (!r->members[i].json) {
			json_writer_text(w, NULL, r->members[i].name);
		}
	}
	json_writer_close(w, "]");
}

void replay_backend_describe(const struct replay_backend *b, struct json_writer *w)
{
	const struct target *t = &b->target;
	json_writer_string(w, "name", span_of(t->name));
	json_writer_string(w, "url", span_of(t->url));
	record_json_text(w, "dialect", t->dialect->name);
	json_writer_text(w, "role", role_name(t->role));
	json_writer_raw(w, "model", span_of(replay_backend_model(b)));
	describe_rules(&t->rules, w);
}

void replay_backend_record(struct replay_backend *b, struct recorder *r)
{
	struct target *t = &b->target;
	t->manifest = recording_manifest(r, b->manifest, t->name, t->url, t->role);
}

void replay_backend_finish(struct replay_backend *b)
{
	engine_identity_destroy(b->engine);
	manifest_destroy(b->manifest);
	if (b->settings) {
		settings_unref(b->settings);
	}
	score_backend_finish(&b->found);
	free(b->name);
	base_url_finish(&b->url);
	for (size_t i = 0; i < b->n_own; i++) {
		free(b->members[i].name);
		free(b->members[i].json);
	}
	free(b->models);
	free(b->members);
	*b = (struct replay_backend){0};
}
