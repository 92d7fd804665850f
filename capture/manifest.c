#include "capture/manifest.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <sodium.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/quoted.h"

#define JSON_FORMAT 1
#define HEAD_BYTES 128 /* upper bound of the JSON's bytes outside of facts and texts */

const struct manifest_name *manifest_name_find(const char *name)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i].name, name) == 0) {
			return &names[i];
		}
	}
	return NULL;
}

struct manifest *manifest_create(const char *backend, const char *url, const char *dialect)
{
	struct manifest *m = xcalloc(1, sizeof(*m));
	m->backend = backend ? xstrdup(backend) : NULL;
	m->url = xstrdup(url ? url : "");
	m->dialect = xstrdup(dialect ? dialect : "generic");
	m->wall_ns = clock_wall();
	return m;
}

/* Orders names as the checklist does; other names follow in alphabetical order. */
static int compare_names(const char *a, const char *b)
{
	const struct manifest_name *x = manifest_name_find(a), *y = manifest_name_find(b);
	if (x && y) {
		return x < y ? -1 : x > y;
	}
	if (x || y) {
		return x ? -1 : 1;
	}
	return strcmp(a, b);
}

/* Returns the fact's index, or the index where it belongs. *ret_found: the fact exists. */
static size_t place_of(const struct manifest *m, const char *name, bool *ret_found)
{
	size_t from = 0, to = m->n_facts;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare_names(m->facts[middle].name, name);
		if (order == 0) {
			*ret_found = true;
			return middle;
		}
		if (order < 0) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	*ret_found = false;
	return from;
}

/* Copies a text to one line, without terminal control characters. */
static char *clean(const char *text)
{
	char *copy = xstrndup(text, MANIFEST_VALUE_LIMIT * 2);
	for (char *p = copy; *p; p++) {
		*p = (unsigned char)*p < ' ' || *p == 0x7f ? ' ' : *p;
	}
	return copy;
}

static void fact_finish(struct fact *f)
{
	free(f->name);
	free(f->value);
	free(f->source);
}

/* Returns how many bytes a clean text takes in JSON. */
static size_t json_bytes_of(const char *clean_text)
{
	size_t n = 2;
	for (const char *p = clean_text; *p; p++) {
		n += *p == '"' || *p == '\\' ? 2 : 1;
	}
	return n;
}

static size_t json_bytes_of_fact(const struct fact *f)
{
	static const char members[] = "{\"name\":,\"value\":,\"source\":},";
	return sizeof(members) - 1 + json_bytes_of(f->name) + json_bytes_of(f->value) +
	       json_bytes_of(f->source);
}

/* Whether this fact fits in place of another one that takes instead_of bytes. */
static bool fits(const struct manifest *m, const struct fact *f, size_t instead_of)
{
	size_t head = HEAD_BYTES + json_bytes_of(m->url) +
	              json_bytes_of(m->backend ? m->backend : "") + strlen(m->dialect);
	return head + m->json_bytes - instead_of + json_bytes_of_fact(f) <= MANIFEST_JSON_LIMIT;
}

void manifest_set(struct manifest *m, const char *name, const char *value, const char *source)
{
	bool found;
	if (!value || !*value) {
		return;
	}
	struct fact fact = {clean(name), clean(value), clean(source ? source : "")};
	size_t at = place_of(m, fact.name, &found);
	size_t was = found ? json_bytes_of_fact(&m->facts[at]) : 0;
	if ((!found && m->n_facts == MANIFEST_FACTS_LIMIT) || !fits(m, &fact, was)) {
		fact_finish(&fact);
		return;
	}
	if (found) {
		fact_finish(&m->facts[at]);
	} else {
		m->facts = xrealloc(m->facts, (m->n_facts + 1) * sizeof(*m->facts));
		memmove(&m->facts[at + 1], &m->facts[at], (m->n_facts - at) * sizeof(*m->facts));
		m->n_facts++;
	}
	m->facts[at] = fact;
	m->json_bytes += json_bytes_of_fact(&fact) - was;
}

const char *manifest_get(const struct manifest *m, const char *name)
{
	bool found;
	size_t at = place_of(m, name, &found);
	return found ? m->facts[at].value : NULL;
}

void manifest_destroy(struct manifest *m)
{
	if (!m) {
		return;
	}
	for (size_t i = 0; i < m->n_facts; i++) {
		fact_finish(&m->facts[i]);
	}
	free(m->facts);
	free(m->backend);
	free(m->url);
	free(m->dialect);
	free(m);
}

static bool is_volatile(const struct fact *f)
{
	return strncmp(f->name, "state.", 6) == 0;
}

void manifest_digest(const struct manifest *m, uint8_t digest[16])
{
	crypto_generichash_state hash;
	crypto_generichash_init(&hash, NULL, 0, 16);
	crypto_generichash_update(&hash, (const unsigned char *)m->dialect, strlen(m->dialect) + 1);
	for (size_t i = 0; i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];
		if (is_volatile(f)) {
			continue;
		}
		crypto_generichash_update(
		        &hash, (const unsigned char *)f->name, strlen(f->name) + 1);
		crypto_generichash_update(
		        &hash, (const unsigned char *)f->value, strlen(f->value) + 1);
	}
	crypto_generichash_final(&hash, digest, 16);
}

struct manifest_change *manifest_diff(
        const struct manifest *a, const struct manifest *b, size_t *ret_n)
{
	struct manifest_change *changes = xcalloc(a->n_facts + b->n_facts + 1, sizeof(*changes));
	size_t i = 0, k = 0, n = 0;
	while (i < a->n_facts || k < b->n_facts) {
		const struct fact *x = i < a->n_facts ? &a->facts[i] : NULL;
		const struct fact *y = k < b->n_facts ? &b->facts[k] : NULL;
		expect(x || y);
		int order = !x ? 1 : !y ? -1 : compare_names(x->name, y->name);
		struct manifest_change change = {
		        .name = order <= 0 ? x->name : y->name,
		        .was = order <= 0 ? x->value : NULL,
		        .is = order >= 0 ? y->value : NULL,
		};
		bool same = order == 0 && strcmp(x->value, y->value) == 0;
		if (!same && !is_volatile(order <= 0 ? x : y)) {
			changes[n++] = change;
		}
		i += order <= 0;
		k += order >= 0;
	}
	*ret_n = n;
	return changes;
}

char *manifest_json(const struct manifest *m)
{
	json_t *facts = json_array();
	for (size_t i = 0; i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];
		json_array_append_new(
		        facts, json_pack("{s:o, s:o, s:o}", "name", quoted(f->name), "value",
		                       quoted(f->value), "source", quoted(f->source)));
	}
	json_t *root = json_pack("{s:i, s:o, s:o, s:o, s:I, s:o}", "manifest", JSON_FORMAT,
	        "backend", quoted(m->backend), "url", quoted(m->url), "dialect", quoted(m->dialect),
	        "wall_ns", (json_int_t)m->wall_ns, "facts", facts);
	expect(root);
	char *json = json_dumps(root, JSON_COMPACT);
	expect(json);
	json_decref(root);
	return json;
}

static bool parse_fact(struct manifest *m, json_t *item)
{
	const char *name = json_string_value(json_object_get(item, "name"));
	const char *value = json_string_value(json_object_get(item, "value"));
	const char *source = json_string_value(json_object_get(item, "source"));
	if (!name || !value || !*name || !*value) {
		return false;
	}
	manifest_set(m, name, value, source);
	return true;
}

struct manifest *manifest_parse(const char *json)
{
	size_t len = strnlen(json, MANIFEST_JSON_LIMIT + 1);
	json_t *root = len <= MANIFEST_JSON_LIMIT ? json_loadb(json, len, 0, NULL) : NULL;
	json_t *facts = json_object_get(root, "facts");
	const char *url = json_string_value(json_object_get(root, "url"));
	const char *dialect = json_string_value(json_object_get(root, "dialect"));
	json_int_t wall_ns = json_integer_value(json_object_get(root, "wall_ns"));
	if (json_integer_value(json_object_get(root, "manifest")) != JSON_FORMAT || !url ||
	        !dialect || wall_ns < 0 || !json_is_array(facts)) {
		json_decref(root);
		return NULL;
	}
	struct manifest *m =
	        manifest_create(json_string_value(json_object_get(root, "backend")), url, dialect);
	m->wall_ns = (uint64_t)wall_ns;
	bool whole = true;
	for (size_t i = 0; whole && i < json_array_size(facts); i++) {
		whole = parse_fact(m, json_array_get(facts, i));
	}
	json_decref(root);
	if (!whole) {
		manifest_destroy(m);
		return NULL;
	}
	return m;
}
