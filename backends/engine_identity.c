#include "backends/engine_identity.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/engine_signs.h"
#include "base/http.h"
#include "base/mem.h"
#include "base/enum_names.h"
#include "base/sanitize_text.h"

#define MODELS_LIMIT 256
#define NAME_LIMIT 1024
#define CLEARLY 20 /* required lead of the best over the next */

/* Gateways and proxies identify themselves in header fields. */
static const struct {
	const char *field, *value; /* value NULL: any value; else a prefix of it */
	const char *name;
} GATEWAYS[] = {
        {"x-litellm-version", NULL, "LiteLLM"},
        {"x-litellm-call-id", NULL, "LiteLLM"},
        {"x-openrouter-provider", NULL, "OpenRouter"},
        {"x-portkey-provider", NULL, "Portkey"},
        {"x-kong-upstream-latency", NULL, "Kong"},
        {"apim-request-id", NULL, "Azure API Management"},
        {"x-envoy-upstream-service-time", NULL, "Envoy"},
        {"server", "cloudflare", "Cloudflare"},
        {"server", "nginx", "nginx"},
        {"server", "openresty", "OpenResty"},
        {"server", "Caddy", "Caddy"},
        {"server", "Apache", "Apache"},
        {"server", "awselb", "AWS load balancer"},
        {"via", NULL, "a proxy that sets Via"},
};

ENUM_NAMES(sureness_name, enum sureness, "unknown", "weak", "likely", "certain");

struct engine_identity *engine_identity_create(void)
{
	struct engine_identity *i = xcalloc(1, sizeof(*i));
	i->dialect = &dialect_generic;
	return i;
}

/* Describes the evidence for the report. */
static char *evidence_text(const struct sign *s, const struct engine_response *response)
{
	const char *path = response->path, *slash = *path == '/' ? "" : "/";
	switch (s->kind) {
	case SIGN_MEMBER:
		return s->value
		               ? xasprintf("GET %s%s says %s: %s", slash, path, s->member, s->value)
		               : xasprintf("GET %s%s has %s", slash, path, s->member);
	case SIGN_STARTS:
		return xasprintf("GET %s%s says %s: %s...", slash, path, s->member, s->value);
	case SIGN_ABSENT:
		return xasprintf("GET %s%s answers without %s", slash, path, s->member);
	case SIGN_HEADER:
	case SIGN_SERVED: {
		struct span value = http_lines_field(span_of(response->head), s->member);
		return xasprintf("header %s: %.*s", s->member, (int)MIN(value.len, (size_t)80),
		        value.len ? value.data : "");
	}
	case SIGN_TEXT:
		return xasprintf("GET %s%s contains %s", slash, path, s->value);
	case SIGN_ANSWERS:
	case SIGN_END:
		break;
	}
	return xasprintf("GET %s%s answers %d", slash, path, response->status);
}

static void find_gateway(struct engine_identity *i, const struct engine_response *response)
{
	for (size_t k = 0; k < ARRAY_LEN(GATEWAYS) && !i->gateway && response->head; k++) {
		struct span value = http_lines_field(span_of(response->head), GATEWAYS[k].field);
		size_t n = GATEWAYS[k].value ? strlen(GATEWAYS[k].value) : 1;
		if (value.len >= n &&
		        (!GATEWAYS[k].value ||
		                span_is_nocase((struct span){value.data, n}, GATEWAYS[k].value))) {
			i->gateway = xstrdup(GATEWAYS[k].name);
		}
	}
}

bool engine_identity_same_path(const char *a, const char *b)
{
	return strcmp(a + (*a == '/'), b + (*b == '/')) == 0;
}

bool engine_identity_any_complete(const struct engine_identity *i)
{
	for (size_t k = 0; k < i->n_responses; k++) {
		if (call_is_complete(i->responses[k].end)) {
			return true;
		}
	}
	return false;
}

static json_t *load(const struct engine_response *response)
{
	return response && response->status == 200 && response->body
	               ? json_loads(response->body, JSON_DECODE_ANY, NULL)
	               : NULL;
}

/* A web application answers every path with its page. So the existence of an answer is a sign only
 * if the answer is JSON, as engines send. */
static bool matches(const struct engine_response *response, const struct sign *s)
{
	if (!engine_identity_same_path(s->path, response->path) ||
	        !dialect_match(
	                s, response->status, span_of(response->head), span_of(response->body))) {
		return false;
	}
	json_t *root = s->kind == SIGN_ANSWERS ? load(response) : NULL;
	bool fits = s->kind != SIGN_ANSWERS || json_is_object(root);
	json_decref(root);
	return fits;
}

void engine_identity_add(struct engine_identity *i, struct engine_response response)
{
	i->responses = xrealloc(i->responses, (i->n_responses + 1) * sizeof(*i->responses));
	i->responses[i->n_responses++] = response;
	if (!response.status) {
		return;
	}
	i->reachable = true;
	find_gateway(i, &response);
	size_t n;
	const struct dialect *const *all = dialects(&n);
	for (size_t d = 0; d < n; d++) {
		for (const struct sign *s = all[d]->signs; s && s->path; s++) {
			if (!matches(&response, s)) {
				continue;
			}
			i->evidence =
			        xrealloc(i->evidence, (i->n_evidence + 1) * sizeof(*i->evidence));
			i->evidence[i->n_evidence++] =
			        (struct evidence){all[d], s, evidence_text(s, &response)};
		}
	}
}

static int score_of(const struct engine_identity *i, const struct dialect *d)
{
	int score = 0;
	for (size_t k = 0; k < i->n_evidence; k++) {
		score += i->evidence[k].dialect == d ? i->evidence[k].sign->weight : 0;
	}
	return MIN(score, 100);
}

void engine_identity_choose(struct engine_identity *i)
{
	size_t n;
	const struct dialect *const *all = dialects(&n);
	int next = 0;
	i->dialect = &dialect_generic;
	i->score = 0;
	for (size_t d = 0; d < n; d++) {
		int score = score_of(i, all[d]);
		if (score > i->score) {
			next = i->score;
			i->score = score;
			i->dialect = all[d];
		} else if (score > next) {
			next = score;
		}
	}
	if (i->score == 0) {
		i->sure = SURE_NOT;
	} else if (i->score == next) {
		/* Two dialects fit equally well; the order must not decide. */
		i->dialect = &dialect_generic;
		i->sure = SURE_NOT;
	} else if (i->score >= SIGN_CERTAIN && i->score - next >= CLEARLY) {
		i->sure = SURE_CERTAIN;
	} else if (i->score >= SIGN_STRONG && i->score - next >= CLEARLY) {
		i->sure = SURE_LIKELY;
	} else {
		i->sure = SURE_WEAK;
	}
}

/* Sorts evidence of the chosen dialect first; the sort is stable. */
static void sort_evidence(struct engine_identity *i)
{
	struct evidence *sorted = xmalloc(MAX(i->n_evidence, 1u) * sizeof(*sorted));
	size_t n = 0;
	for (int own = 1; own >= 0; own--) {
		for (size_t k = 0; k < i->n_evidence; k++) {
			if ((i->evidence[k].dialect == i->dialect) == own) {
				sorted[n++] = i->evidence[k];
			}
		}
	}
	free(i->evidence);
	i->evidence = sorted;
}

/* Sanitizes a text from the engine, since it is printed in many places. */
static char *safe_text(const json_t *text)
{
	return sanitize_text(
	        (struct span){json_string_value(text), json_string_length(text)}, NAME_LIMIT);
}

static void read_version(struct engine_identity *i)
{
	const struct dialect *d = i->dialect;
	if (!d->version_path || !d->version_member) {
		return;
	}
	json_t *root = load(engine_identity_response(i, d->version_path));
	const json_t *version = json_member_at(root, d->version_member);
	if (json_is_string(version)) {
		i->version = safe_text(version);
	}
	json_decref(root);
}

static void read_models(struct engine_identity *i)
{
	json_t *root = load(engine_identity_response(i, ENGINE_IDENTITY_MODELS));
	const json_t *data = json_is_array(root) ? root : json_object_get(root, "data");
	size_t n = MIN(json_array_size(data), (size_t)MODELS_LIMIT);
	i->models = xmalloc(MAX(n, (size_t)1) * sizeof(*i->models));
	for (size_t k = 0; k < n; k++) {
		const json_t *id = json_object_get(json_array_get(data, k), "id");
		if (json_is_string(id)) {
			i->models[i->n_models++] = safe_text(id);
		}
	}
	json_decref(root);
}

/* Finds out why little is known about a backend that answers, such as a missing API key. */
static void find_problem(struct engine_identity *i)
{
	const struct engine_response *models = engine_identity_response(i, ENGINE_IDENTITY_MODELS);
	if (!i->reachable || i->problem || !models) {
		return;
	}
	if (engine_identity_locked(i)) {
		i->problem = xasprintf("GET %s answers %d: an API key is missing or wrong",
		        models->path, engine_identity_locked(i));
	} else if (models->status >= 300 && models->status < 400) {
		struct span to = http_lines_field(span_of(models->head), "location");
		i->problem = xasprintf("GET %s answers %d and points to %.*s; redirects are not "
		                       "followed",
		        models->path, models->status, (int)MIN(to.len, (size_t)200), to.data);
	}
}

void engine_identity_conclude(struct engine_identity *i)
{
	engine_identity_choose(i);
	sort_evidence(i);
	read_version(i);
	read_models(i);
	find_problem(i);
}

void engine_identity_destroy(struct engine_identity *i)
{
	if (!i) {
		return;
	}
	for (size_t k = 0; k < i->n_evidence; k++) {
		free(i->evidence[k].text);
	}
	for (size_t k = 0; k < i->n_responses; k++) {
		free(i->responses[k].path);
		free(i->responses[k].body);
		free(i->responses[k].head);
	}
	for (size_t k = 0; k < i->n_models; k++) {
		free(i->models[k]);
	}
	free(i->evidence);
	free(i->responses);
	free(i->models);
	free(i->version);
	free(i->gateway);
	free(i->problem);
	free(i);
}

const struct engine_response *engine_identity_response(
        const struct engine_identity *i, const char *path)
{
	for (size_t k = 0; k < i->n_responses; k++) {
		if (engine_identity_same_path(i->responses[k].path, path)) {
			return &i->responses[k];
		}
	}
	return NULL;
}

bool engine_identity_answers(const struct engine_identity *i)
{
	if (i->sure >= SURE_LIKELY) {
		return true; /* it may say that it is not ready yet */
	}
	for (size_t k = 0; k < i->n_responses; k++) {
		json_t *root = load(&i->responses[k]);
		bool is_json = json_is_object(root) || json_is_array(root);
		json_decref(root);
		if (is_json) {
			return true;
		}
	}
	return false;
}

int engine_identity_locked(const struct engine_identity *i)
{
	const struct engine_response *models = engine_identity_response(i, ENGINE_IDENTITY_MODELS);
	return models && (models->status == 401 || models->status == 403) ? models->status : 0;
}

bool engine_identity_lists(const struct engine_identity *i, const char *model)
{
	const char *tag = i->dialect->default_tag;
	size_t n = strlen(model);
	for (size_t m = 0; m < i->n_models; m++) {
		const char *listed = i->models[m];
		bool begins = strncmp(listed, model, n) == 0;
		if (begins && (!listed[n] || (tag && strcmp(listed + n, tag) == 0))) {
			return true;
		}
	}
	return false;
}
