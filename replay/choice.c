#include "replay/choice.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/conf.h"
#include "base/mem.h"

static const char *const FIELDS[] = {"model", "endpoint", "stream", "tools", "id", NULL};

static bool is_yes_or_no(const char *value)
{
	return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0;
}

static char *check_value(enum choice_field field, const char *value)
{
	struct id id;
	switch (field) {
	case CHOICE_MODEL:
		break;
	case CHOICE_ENDPOINT:
		if (strcmp(value, endpoint_name(ENDPOINT_CHAT)) != 0 &&
		        strcmp(value, endpoint_name(ENDPOINT_COMPLETION)) != 0) {
			return xasprintf("endpoint is chat or completion, not %.60s", value);
		}
		break;
	case CHOICE_STREAM:
	case CHOICE_TOOLS:
		if (!is_yes_or_no(value)) {
			return xasprintf("%s is yes or no, not %.60s", FIELDS[field], value);
		}
		break;
	case CHOICE_ID:
		if (!id_parse(value, &id)) {
			return xasprintf("%.60s is no id of an exchange", value);
		}
		break;
	}
	return NULL;
}

char *choice_parse(struct choice_rules *r, const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text) {
		return xasprintf("--where wants FIELD=VALUE or FIELD!=VALUE, not %.60s", text);
	}
	if (r->n_filters == CHOICE_FILTERS_LIMIT) {
		return xasprintf("more than %d --where", CHOICE_FILTERS_LIMIT);
	}
	struct choice_filter f = {.not = equals[-1] == '!', .value = equals + 1};
	struct span name = {text, (size_t)(equals - text) - f.not };
	for (size_t i = 0; FIELDS[i]; i++) {
		if (!span_is(name, FIELDS[i])) {
			continue;
		}
		f.field = (enum choice_field)i;
		char *problem = check_value(f.field, f.value);
		if (!problem) {
			r->filters[r->n_filters++] = f;
		}
		return problem;
	}
	char *given = span_dup(name);
	const char *near = conf_nearest(given, FIELDS);
	char *problem =
	        xasprintf("--where knows model, endpoint, stream, tools and id, not %.60s%s%s%s",
	                given, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	free(given);
	return problem;
}

static bool holds(const struct choice_filter *f, const struct choice_facts *of)
{
	struct id id;
	switch (f->field) {
	case CHOICE_MODEL:
		return fnmatch(f->value, of->model ? of->model : "", 0) == 0;
	case CHOICE_ENDPOINT:
		return strcmp(f->value, endpoint_name(of->endpoint)) == 0;
	case CHOICE_STREAM:
		return of->stream == (*f->value == 'y');
	case CHOICE_TOOLS:
		return of->tools == (*f->value == 'y');
	case CHOICE_ID:
		return id_parse(f->value, &id) && id_compare(id, of->exchange) == 0;
	}
	return false;
}

/* The same session is always in or always out; what has none goes by itself. */
static bool in_sample(const struct choice_rules *r, const struct choice_facts *of)
{
	static const uint8_t NONE[REQUEST_HASH_SIZE];
	bool session = r->by_session && memcmp(of->session, NONE, sizeof(NONE)) != 0;
	const void *key = session ? (const void *)of->session : of->exchange.bytes;
	uint64_t hash = XXH3_64bits_withSeed(key, 16, r->seed);
	return (double)(hash >> 11) / 9007199254740992.0 < r->share;
}

bool choice_takes(const struct choice_rules *r, const struct choice_facts *f)
{
	for (size_t i = 0; i < r->n_filters; i++) {
		if (holds(&r->filters[i], f) == r->filters[i].not ) {
			return false;
		}
	}
	return r->share >= 1 || in_sample(r, f);
}
