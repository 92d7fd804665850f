#include "replay/campaign/replay_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine_detection.h"
#include "backends/manifest_collect.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/shell.h"
#include "base/verb_fail.h"
#include "capture/record_json.h"
#include "capture/recorder/recording.h"

#define GET_MS 2000
#define SLOW_NS UINT64_C(3000000000) /* after this time it prints what it waits for */

/* Makes room for a member before the others, in place of a configured one of this name. */
static struct member_setting *own_member(struct replay_backend *b, const char *name)
{
	struct copy_rules *rules = &b->target.rules;
	struct member_setting *members = xcalloc(rules->n_members + 1, sizeof(*members));
	size_t n = 1;
	for (size_t i = 0; i < rules->n_members; i++) {
		if (strcmp(rules->members[i].name, name) != 0) {
			members[n++] = rules->members[i];
		}
	}
	members->name = xstrdup(name);
	free(b->members);
	b->members = members;
	b->n_own++;
	rules->members = members;
	rules->n_members = n;
	return members;
}

void replay_backend_set(struct replay_backend *b, const char *name, const char *json)
{
	struct member_setting *found = NULL;
	for (size_t i = 0; i < b->n_own; i++) {
		found = strcmp(b->members[i].name, name) == 0 ? &b->members[i] : found;
	}
	found = found ? found : own_member(b, name);
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
	const struct copy_rules *rules = &b->target.rules;
	for (size_t i = 0; i < rules->n_members; i++) {
		if (strcmp(rules->members[i].name, "model") == 0) {
			return rules->members[i].json;
		}
	}
	return NULL;
}

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

int replay_backend_choose_model(struct replay_backend *b, const struct replay_backend_options *w)
{
	const struct engine_identity *i = b->engine;
	if (w->model || replay_backend_model(b)) {
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
	if (b->origin) {
		b->origin_destroy(b->origin);
	}
	for (size_t i = 0; i < b->n_own; i++) {
		free(b->members[i].name);
		free(b->members[i].json);
	}
	free(b->members);
	*b = (struct replay_backend){0};
}
