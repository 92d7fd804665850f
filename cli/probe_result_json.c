#include <stdlib.h>

#include <jansson.h>

#include "base/quoted.h"
#include "cli/probe_result.h"

static json_t *evidence_json(const struct engine_identity *i, bool own)
{
	json_t *list = json_array();
	for (size_t k = 0; k < i->n_evidence; k++) {
		const struct evidence *e = &i->evidence[k];
		if ((e->dialect == i->dialect) != own) {
			continue;
		}
		json_array_append_new(list, json_pack("{s:o*, s:i, s:o}", "engine",
		                                    own ? NULL : quoted(e->dialect->name), "weight",
		                                    e->sign->weight, "seen", quoted(e->text)));
	}
	return list;
}

static json_t *engine_json(const struct probe_result *p)
{
	const struct engine_identity *i = p->identity;
	struct buf version = {0};
	const char *source, *known_version = probe_result_version(p, &version, &source);
	json_t *engine = json_pack("{s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "name",
	        quoted(i->dialect->name), "title", quoted(i->dialect->title), "version",
	        quoted(known_version), "version_source", quoted(source), "sure",
	        quoted(sureness_name(i->sure)), "score", i->score, "gateway", quoted(i->gateway),
	        "evidence", evidence_json(i, true), "against", evidence_json(i, false));
	buf_finish(&version);
	return engine;
}

static json_t *capabilities_json(const struct probe_report *r)
{
	json_t *all = json_object();
	for (size_t k = 0; k < r->n_capabilities; k++) {
		const struct capability *c = &r->capabilities[k];
		json_object_set_new(all, c->name,
		        json_pack("{s:o, s:o, s:o}", "standing", quoted(standing_name(c->standing)),
		                "value", quoted(c->value), "evidence", quoted(c->evidence)));
	}
	return all;
}

/* "gravity" is the former name of "severity". */
static json_t *findings_json(const struct probe_report *r)
{
	json_t *all = json_array();
	for (size_t k = 0; k < r->n_findings; k++) {
		const struct finding *f = &r->findings[k];
		const char *severity = severity_name(f->severity);
		json_array_append_new(
		        all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", quoted(f->name),
		                     "severity", quoted(severity), "gravity", quoted(severity),
		                     "title", quoted(f->title), "evidence", quoted(f->evidence),
		                     "advice", quoted(f->advice)));
	}
	return all;
}

static json_t *deep_json(const struct probe_report *r)
{
	return r ? json_pack("{s:i, s:f, s:b, s:o, s:o, s:o, s:o, s:o}", "requests",
	                   (int)r->requests, "seconds", (double)r->total_ms / 1000, "stopped",
	                   r->stopped, "problem", quoted(r->problem), "fingerprint",
	                   quoted(r->fingerprint), "answer_model", quoted(r->answer_model),
	                   "findings", findings_json(r), "capabilities", capabilities_json(r))
	         : json_null();
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
	json_t *models = json_array();
	for (size_t k = 0; k < i->n_models; k++) {
		json_array_append_new(models, quoted(i->models[k]));
	}
	json_t *root = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "url", quoted(p->url),
	        "reachable", i->reachable, "problem", quoted(i->problem), "engine", engine_json(p),
	        "models", models, "model", quoted(p->model), "deep", deep_json(p->report),
	        "manifest", manifest_value(p->manifest));
	char *dumped = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	buf_append_str(to, dumped ? dumped : "{}");
	buf_append_char(to, '\n');
	free(dumped);
	json_decref(root);
}
