/* Data from an engine is untrusted; the manifest gets only short, sanitized texts. */
#include "backends/manifest_collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <sodium.h>

#include "base/ascii.h"
#include "base/http.h"
#include "base/mem.h"
#include "capture/privacy/credential.h"

#define ANSWER_LIMIT ((size_t)4 << 20)
#define ANSWERS_LIMIT 32
#define TIMEOUT_MS 2000
#define UNANSWERED_LIMIT 2
#define HASH_BYTES 32

/* The answer at one path. Each path is requested once. */
struct response {
	const char *path, *body; /* the dialect's */
	char *text;              /* NULL: no useful answer */
	size_t len;
	json_t *json; /* NULL: it is no JSON */
};

struct collecting {
	struct call_line *line;
	const struct engine_identity *identity;
	const char *model;
	struct manifest *m;
	struct response responses[ANSWERS_LIMIT];
	size_t n_responses;
	int unanswered; /* consecutive calls without a complete answer */
};

/* Values */

static char *hash_of(const char *data, size_t len)
{
	unsigned char hash[HASH_BYTES];
	char hex[2 * HASH_BYTES + 1];
	crypto_generichash(hash, sizeof(hash), (const unsigned char *)data, len, NULL, 0);
	sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	return xasprintf("blake2b-256:%s (%zu bytes)", hex, len);
}

/* Returns a value as text for a manifest; the caller frees it. NULL: it has no content. */
static char *value_text(const char *fact, const json_t *value)
{
	char *text = NULL;
	if (json_is_string(value)) {
		text = xstrndup(json_string_value(value), json_string_length(value));
	} else if (json_is_boolean(value)) {
		text = xstrdup(json_is_true(value) ? "true" : "false");
	} else if (value && !json_is_null(value)) {
		/* 0.8 is stored as the nearest double and must be printed as 0.8. */
		char *dumped = json_dumps(value,
		        JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(7));
		text = dumped ? xstrdup(dumped) : NULL;
		free(dumped);
	}
	if (text && (strlen(text) > MANIFEST_VALUE_LIMIT ||
	                    (*text && strcmp(fact, "model.template") == 0))) {
		char *hash = hash_of(text, strlen(text));
		free(text);
		return hash;
	}
	return text;
}

/* A number is no secret: it may be max_num_batched_tokens. */
static bool is_secret(const char *flag, const json_t *value, const char *text)
{
	return json_is_string(value) &&
	       (credential_sounds(span_of(flag)) || credential_in(span_of(text)));
}

/* Paths into documents */

static const json_t *member_of(const json_t *object, const char *path, const char *model);

static const json_t *member_ending_with(const json_t *object, const char *end)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)object, key, value) {
		if (span_ends(span_of(key), end)) {
			return value;
		}
	}
	return NULL;
}

static bool is_named(const json_t *object, const char *member, const char *model)
{
	const char *name = json_string_value(json_object_get(object, member));
	return name && strcmp(name, model) == 0;
}

/* In a list of models, index 0 is the model to describe. Without its name it must be the only one. */
static const json_t *element_of(const json_t *array, const char *path, const char *model)
{
	char *end;
	size_t index = strtoul(path, &end, 10);
	if (end == path || (*end && *end != '.')) {
		return NULL;
	}
	bool is_open = !model && json_array_size(array) > 1;
	const json_t *element = is_open ? NULL : json_array_get(array, index);
	for (size_t i = 0; index == 0 && model && i < json_array_size(array); i++) {
		json_t *each = json_array_get(array, i);
		if (is_named(each, "id", model) || is_named(each, "name", model)) {
			element = each;
			break;
		}
	}
	return *end ? member_of(element, end + 1, model) : element;
}

/* Member names may contain dots: the longest existing name is used. */
static const json_t *member_of(const json_t *object, const char *path, const char *model)
{
	if (json_is_array(object)) {
		return element_of(object, path, model);
	}
	if (!json_is_object(object)) {
		return NULL;
	}
	if (*path == '*') {
		return member_ending_with(object, path + 1);
	}
	const json_t *complete = json_object_get(object, path);
	if (complete) {
		return complete;
	}
	size_t len = strlen(path);
	while (len > 0) {
		len--;
		if (path[len] != '.') {
			continue;
		}
		char *key = xstrndup(path, len);
		const json_t *value = json_object_get(object, key);
		free(key);
		const json_t *found = value ? member_of(value, path + len + 1, model) : NULL;
		if (found) {
			return found;
		}
	}
	return NULL;
}

/* Returns the value of the line "KEY   value"; the caller frees it. */
static char *line_of(const char *text, const char *key)
{
	size_t len = strlen(key);
	while (*text) {
		size_t line = strcspn(text, "\r\n");
		if (line > len && strncmp(text, key, len) == 0 &&
		        (text[len] == ' ' || text[len] == '\t')) {
			size_t from = len + strspn(text + len, " \t");
			return from < line ? xstrndup(text + from, line - from) : NULL;
		}
		text += line;
		text += strspn(text, "\r\n");
	}
	return NULL;
}

/* Metrics */

/* text begins after the opening brace. */
static char *label_of(const char *text, const char *label, size_t len)
{
	while (*text && *text != '}' && *text != '\n') {
		text += strspn(text, ", ");
		size_t name = strcspn(text, "=\n}");
		if (text[name] != '=' || text[name + 1] != '"') {
			return NULL;
		}
		const char *value = text + name + 2, *end = value;
		while (*end && *end != '"' && *end != '\n') {
			end += *end == '\\' && end[1] ? 2 : 1;
		}
		if (name == len && strncmp(text, label, len) == 0) {
			return xstrndup(value, (size_t)(end - value));
		}
		text = *end == '"' ? end + 1 : end;
	}
	return NULL;
}

/* metric: "NAME{LABEL}" or "NAME". */
static char *metric_of(const char *text, const char *metric)
{
	size_t name = strcspn(metric, "{");
	const char *label = metric[name] ? metric + name + 1 : NULL;
	size_t label_len = label ? strcspn(label, "}") : 0;
	for (const char *line = text; *line;) {
		if (strncmp(line, metric, name) == 0 && (line[name] == '{' || line[name] == ' ')) {
			if (!label) {
				return xstrdup("yes");
			}
			char *value = line[name] == '{'
			                      ? label_of(line + name + 1, label, label_len)
			                      : NULL;
			if (value) {
				return value;
			}
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}

/* Requests */

static char *body_for(const char *template, const char *model)
{
	const char *at = strstr(template, "\"$MODEL\"");
	if (!at) {
		return xstrdup(template);
	}
	json_t *name = json_string(model);
	char *quoted = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;
	char *body = xasprintf("%.*s%s%s", (int)(at - template), template, quoted ? quoted : "\"\"",
	        at + strlen("\"$MODEL\""));
	free(quoted);
	json_decref(name);
	return body;
}

static void store(struct response *a, const char *text, size_t len)
{
	a->text = xstrndup(text, len);
	a->len = strlen(a->text);
	a->json = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, NULL);
}

static void request_path(struct collecting *c, struct response *a)
{
	const struct engine_response *response =
	        a->body ? NULL : engine_identity_response(c->identity, a->path);
	if (response) {
		if (response->status == 200 && response->body && response->end == CALL_DONE) {
			store(a, response->body, strlen(response->body));
			return;
		}
		/* An answer too large for engine_detect() to keep is requested again. */
		if (response->end != CALL_TOO_LARGE) {
			return;
		}
	}
	bool needs_model = a->body && strstr(a->body, "$MODEL");
	if (c->identity->spared || (needs_model && !c->model)) {
		return;
	}
	if (!c->line || c->unanswered >= UNANSWERED_LIMIT) {
		c->m->partial = c->m->partial || c->line;
		return;
	}
	char *body = a->body ? body_for(a->body, c->model) : NULL;
	struct call call = {
	        .path = a->path,
	        .body = span_of(body),
	        .timeout_ms = TIMEOUT_MS,
	        .limit = ANSWER_LIMIT,
	};
	struct call_answer answer;
	call_do(c->line, &call, &answer);
	bool complete = call_is_complete(answer.end);
	c->unanswered = complete ? 0 : c->unanswered + 1;
	c->m->partial = c->m->partial || !complete;
	if (answer.end == CALL_DONE && answer.status == 200) {
		store(a, buf_span(&answer.body).data, answer.body.len);
	}
	call_answer_finish(&answer);
	free(body);
}

static const struct response *answer_of(struct collecting *c, const struct fact_source *s)
{
	for (size_t i = 0; i < c->n_responses; i++) {
		if (same_text(c->responses[i].path, s->path) &&
		        same_text(c->responses[i].body, s->body)) {
			return &c->responses[i];
		}
	}
	if (c->n_responses == ANSWERS_LIMIT) {
		return NULL;
	}
	struct response *a = &c->responses[c->n_responses++];
	*a = (struct response){.path = s->path, .body = s->body};
	request_path(c, a);
	return a;
}

/* Facts */

static void set_flags(struct collecting *c, const json_t *object, const char *source)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_object(value) || json_is_array(value)) {
			continue;
		}
		char *name = xasprintf("flag.%.100s", key);
		char *text = value_text(name, value);
		bool stated = text && *text;
		manifest_set(
		        c->m, name, stated && is_secret(key, value, text) ? "***" : text, source);
		free(text);
		free(name);
	}
}

static char *find_value(const struct fact_source *s, const struct response *a, const char *model)
{
	if (s->metric) {
		return metric_of(a->text, s->metric);
	}
	if (!s->member || !*s->member) {
		json_t *complete = json_string(a->text);
		char *text = complete ? value_text(s->fact, complete) : NULL;
		json_decref(complete);
		return text;
	}
	const char *colon = strchr(s->member, ':');
	if (!colon) {
		return value_text(s->fact, member_of(a->json, s->member, model));
	}
	char *path = xstrndup(s->member, (size_t)(colon - s->member));
	const char *lines = json_string_value(member_of(a->json, path, model));
	char *value = lines ? line_of(lines, colon + 1) : NULL;
	free(path);
	return value;
}

static void set_fact(struct collecting *c, const struct fact_source *s)
{
	bool flags = strcmp(s->fact, "flag.*") == 0;
	if (!flags && manifest_get(c->m, s->fact)) {
		return;
	}
	const struct response *a = answer_of(c, s);
	if (!a || !a->text) {
		return;
	}
	const char *slash = *s->path == '/' ? "" : "/";
	char *source = xasprintf("%s %s%s", s->body ? "POST" : "GET", slash, s->path);
	if (flags) {
		const json_t *object =
		        s->member && *s->member ? member_of(a->json, s->member, c->model) : a->json;
		if (json_is_object(object)) {
			set_flags(c, object, source);
		}
	} else {
		char *value = find_value(s, a, c->model);
		manifest_set(c->m, s->fact, value, source);
		free(value);
	}
	free(source);
}

static void set_server(struct manifest *m, const struct engine_identity *i)
{
	for (size_t k = 0; k < i->n_responses; k++) {
		struct span server = http_lines_field(span_of(i->responses[k].head), "server");
		if (server.data) {
			char *value = span_dup(server);
			manifest_set(m, "engine.server", value, "header Server");
			free(value);
			return;
		}
	}
}

static void set_identity(struct collecting *c)
{
	const struct engine_identity *i = c->identity;
	const struct dialect *d = i->dialect;
	if (d != &dialect_generic) {
		const char *sign = i->n_evidence ? i->evidence[0].text : "answers";
		manifest_set(c->m, "engine", d->title, sign);
	}
	char *source = xasprintf("GET %s", d->version_path ? d->version_path : "answers");
	manifest_set(c->m, "engine.version", i->version, source);
	free(source);
	manifest_set(c->m, "model", c->model, "GET /v1/models");
	set_server(c->m, i);
}

/* NULL: unknown, because each request chooses one. */
static const char *only_model(const struct engine_identity *i)
{
	bool is_open = i->n_models > 1 && i->dialect->lists_installed;
	return i->n_models && !is_open ? i->models[0] : NULL;
}

struct manifest *manifest_collect(
        struct call_line *line, const struct engine_identity *i, const char *model)
{
	struct collecting c = {
	        .line = line,
	        .identity = i,
	        .model = model ? model : only_model(i),
	        .unanswered = i->n_responses > 0 && !engine_identity_any_complete(i)
	                              ? UNANSWERED_LIMIT
	                              : 0,
	        .m = manifest_create(NULL, line ? call_line_url(line) : "", i->dialect->name),
	};
	set_identity(&c);
	const struct fact_source *s = i->dialect->facts;
	for (; s && s->fact; s++) {
		set_fact(&c, s);
	}
	for (size_t k = 0; k < c.n_responses; k++) {
		free(c.responses[k].text);
		json_decref(c.responses[k].json);
	}
	return c.m;
}

const struct dialect *manifest_dialect(const struct manifest *m)
{
	const struct dialect *d = dialect_find(m->dialect);
	return d ? d : &dialect_generic;
}

static double number_of(const struct manifest *m, const char *name)
{
	const char *value = manifest_get(m, name);
	char *end;
	if (!value) {
		return NAN;
	}
	double number = strtod(value, &end);
	return end == value || *end || !isfinite(number) ? NAN : number;
}

struct sampling manifest_sampling(const struct manifest *m)
{
	return (struct sampling){
	        .temperature = number_of(m, "sampling.temperature"),
	        .top_p = number_of(m, "sampling.top_p"),
	        .top_k = number_of(m, "sampling.top_k"),
	        .min_p = number_of(m, "sampling.min_p"),
	        .repetition_penalty = number_of(m, "sampling.repetition_penalty"),
	        .presence_penalty = number_of(m, "sampling.presence_penalty"),
	        .frequency_penalty = number_of(m, "sampling.frequency_penalty"),
	};
}

enum logprobs_basis manifest_logprobs_basis(const struct manifest *m)
{
	static const struct {
		const char *word;
		enum logprobs_basis basis;
	} NAMES[] = {
	        {"raw", LOGPROBS_RAW},
	        {"raw_logprobs", LOGPROBS_RAW}, /* vLLM's */
	        {"after_temperature", LOGPROBS_AFTER_TEMPERATURE},
	        {"processed", LOGPROBS_PROCESSED},
	        {"processed_logprobs", LOGPROBS_PROCESSED},
	};
	const char *stated = manifest_get(m, "decoding.logprobs");
	const struct dialect *d = dialect_find(m->dialect);
	for (size_t i = 0; stated && i < ARRAY_LEN(NAMES); i++) {
		if (strcmp(stated, NAMES[i].word) == 0) {
			return NAMES[i].basis;
		}
	}
	return stated || !d ? LOGPROBS_UNKNOWN : d->basis;
}
