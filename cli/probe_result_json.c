#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/quoted.h"
#include "cli/probe_result.h"

static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

static json_t *evidence_json(const struct engine_identity *i, bool own)
{
	json_t *list = json_array();
	for (size_t k = 0; k < i->n_evidence; k++) {
		const struct evidence *e = &i->evidence[k];
		if ((e->dialect == i->dialect) != own) {
			continue;
		}
		json_t *item = json_object();
		if (!own) {
			set(item, "engine", quoted(e->dialect->name));
		}
		set(item, "weight", json_integer(e->sign->weight));
		set(item, "seen", quoted(e->text));
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *engine_json(const struct probe_result *p)
{
	const struct engine_identity *i = p->identity;
	struct buf version = {0};
	const char *source, *known_version = probe_result_version(p, &version, &source);
	json_t *engine = json_object();
	set(engine, "name", quoted(i->dialect->name));
	set(engine, "title", quoted(i->dialect->title));
	set(engine, "version", quoted(known_version));
	set(engine, "version_source", quoted(source));
	set(engine, "sure", quoted(sureness_name(i->sure)));
	set(engine, "score", json_integer(i->score));
	set(engine, "gateway", quoted(i->gateway));
	set(engine, "evidence", evidence_json(i, true));
	set(engine, "against", evidence_json(i, false));
	buf_finish(&version);
	return engine;
}

static json_t *capabilities_json(const struct probe_report *r)
{
	json_t *all = json_object();
	for (size_t k = 0; k < r->n_capabilities; k++) {
		const struct capability *c = &r->capabilities[k];
		json_t *item = json_object();
		set(item, "standing", quoted(standing_name(c->standing)));
		set(item, "value", quoted(c->value));
		set(item, "evidence", quoted(c->evidence));
		set(all, c->name, item);
	}
	return all;
}

static json_t *findings_json(const struct probe_report *r)
{
	json_t *all = json_array();
	for (size_t k = 0; k < r->n_findings; k++) {
		const struct finding *f = &r->findings[k];
		json_t *item = json_object();
		set(item, "name", quoted(f->name));
		set(item, "severity", quoted(severity_name(f->severity)));
		set(item, "gravity", quoted(severity_name(f->severity))); /* former name */
		set(item, "title", quoted(f->title));
		set(item, "evidence", quoted(f->evidence));
		set(item, "advice", quoted(f->advice));
		json_array_append_new(all, item);
	}
	return all;
}

static json_t *deep_json(const struct probe_report *r)
{
	if (!r) {
		return json_null();
	}
	json_t *deep = json_object();
	set(deep, "requests", json_integer(r->requests));
	set(deep, "seconds", json_real((double)r->total_ms / 1000));
	set(deep, "stopped", json_boolean(r->stopped));
	set(deep, "problem", quoted(r->problem));
	set(deep, "fingerprint", quoted(r->fingerprint));
	set(deep, "answer_model", quoted(r->answer_model));
	set(deep, "findings", findings_json(r));
	set(deep, "capabilities", capabilities_json(r));
	return deep;
}

static json_t *manifest_value(const struct manifest *m)
{
	char *json = m ? manifest_json(m) : NULL;
	json_t *value = json ? json_loads(json, 0, NULL) : NULL;
	free(json);
	return value ? value : json_null();
}

void probe_result_json(const struct probe_result *p, struct buf *to)
{
	const struct engine_identity *i = p->identity;
	json_t *root = json_object(), *models = json_array();
	for (size_t k = 0; k < i->n_models; k++) {
		json_array_append_new(models, quoted(i->models[k]));
	}
	set(root, "url", quoted(p->url));
	set(root, "reachable", json_boolean(i->reachable));
	set(root, "problem", quoted(i->problem));
	set(root, "engine", engine_json(p));
	set(root, "models", models);
	set(root, "model", quoted(p->model));
	set(root, "deep", deep_json(p->report));
	set(root, "manifest", manifest_value(p->manifest));
	char *dumped = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	buf_append_str(to, dumped ? dumped : "{}");
	buf_append_char(to, '\n');
	free(dumped);
	json_decref(root);
}
