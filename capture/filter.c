#include "capture/filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/mem.h"

static const char *const KEYS[N_FILTER_KEYS] = {"model", "endpoint", "stream", "tools", "id",
        "session", "category", "backend", "run", "status", "outcome", "replica"};

const char *filter_key_name(enum filter_key k)
{
	expect(k < N_FILTER_KEYS);
	return KEYS[k];
}

static bool is_yes_or_no(const char *value)
{
	return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0;
}

typedef const char *(*name_fn)(size_t i);

static const char *endpoint_at(size_t i)
{
	return i < N_ENDPOINTS ? endpoint_name((enum endpoint)i) : NULL;
}

static const char *outcome_at(size_t i)
{
	return i + 1 < N_OUTCOMES ? outcome_name((enum outcome)(i + 1)) : NULL;
}

/* Returns NULL if a name matches the value, else an error that lists the possible names. */
static char *check_name(enum filter_key key, const char *value, name_fn name)
{
	struct buf all = {0};
	for (size_t i = 0; name(i); i++) {
		if (fnmatch(value, name(i), 0) == 0) {
			buf_finish(&all);
			return NULL;
		}
		const char *glue = i == 0 ? "" : name(i + 1) ? ", " : " or ";
		buf_printf(&all, "%s%s", glue, name(i));
	}
	char *problem = xasprintf("%s is %s, not %.60s", KEYS[key], buf_cstr(&all), value);
	buf_finish(&all);
	return problem;
}

static char *check_value(struct filter *f)
{
	switch (f->key) {
	case FILTER_ENDPOINT:
		return check_name(f->key, f->value, endpoint_at);
	case FILTER_OUTCOME:
		return check_name(f->key, f->value, outcome_at);
	case FILTER_STREAM:
	case FILTER_TOOLS:
		return is_yes_or_no(f->value)
		               ? NULL
		               : xasprintf("%s is yes or no, not %.60s", KEYS[f->key], f->value);
	case FILTER_ID:
		return id_is_part(f->value)
		               ? NULL
		               : xasprintf("%.60s is not an id of an exchange", f->value);
	default:
		return *f->value ? NULL : xasprintf("%s= needs a value", KEYS[f->key]);
	}
}

static char *unknown_key(const struct filters *f, struct span name)
{
	const char *words[N_FILTER_KEYS + 1];
	size_t n = 0;
	struct buf all = {0};
	for (size_t k = 0; k < N_FILTER_KEYS; k++) {
		if (f->known & FILTER_BIT(k)) {
			words[n++] = KEYS[k];
		}
	}
	words[n] = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *glue = i == 0 ? "" : i + 1 < n ? ", " : " and ";
		buf_printf(&all, "%s%s", glue, words[i]);
	}
	char *given = span_dup(name);
	const char *near = nearest_word(given, words);
	char *problem = xasprintf("--where has the keys %s, not %.60s%s", buf_cstr(&all), given,
	        did_you_mean("", near).text);
	free(given);
	buf_finish(&all);
	return problem;
}

char *filters_parse(struct filters *f, const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text) {
		return xasprintf("--where needs KEY=VALUE or KEY!=VALUE, not %.60s", text);
	}
	if (f->n == FILTERS_LIMIT) {
		return xasprintf("more than %d --where", FILTERS_LIMIT);
	}
	struct filter parsed = {.not = equals[-1] == '!', .value = equals + 1};
	struct span name = {text, (size_t)(equals - text) - parsed.not };
	if (span_is(name, "streamed")) {
		name = SPAN("stream");
	}
	for (size_t k = 0; k < N_FILTER_KEYS; k++) {
		if (!span_is(name, KEYS[k]) || !(f->known & FILTER_BIT(k))) {
			continue;
		}
		parsed.key = (enum filter_key)k;
		char *problem = check_value(&parsed);
		if (!problem) {
			f->items[f->n++] = parsed;
		}
		return problem;
	}
	return unknown_key(f, name);
}

bool filters_have(const struct filters *f, enum filter_key key)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].key == key) {
			return true;
		}
	}
	return false;
}

static bool glob_matches(const struct filter *f, const char *text)
{
	return fnmatch(f->value, text ? text : "", 0) == 0;
}

bool filter_request_put(enum filter_key key, const struct filter_request *r, struct buf *to)
{
	switch (key) {
	case FILTER_MODEL:
		buf_append_str(to, r->model ? r->model : "");
		return true;
	case FILTER_ENDPOINT:
		buf_append_str(to, endpoint_name(r->endpoint));
		return true;
	case FILTER_STREAM:
		buf_append_str(to, r->stream ? "yes" : "no");
		return true;
	case FILTER_TOOLS:
		buf_append_str(to, r->tools ? "yes" : "no");
		return true;
	case FILTER_SESSION:
		buf_append_hex(to, r->session, REQUEST_HASH_SIZE);
		return true;
	case FILTER_CATEGORY:
		buf_append_str(to, r->category ? r->category : "");
		return true;
	default:
		return false;
	}
}

static bool matches_request(const struct filter *f, const struct filter_request *r)
{
	struct buf value = {0};
	if (f->key == FILTER_ID) {
		return id_matches(r->exchange, f->value);
	}
	bool good = !filter_request_put(f->key, r, &value) || glob_matches(f, buf_cstr(&value));
	buf_finish(&value);
	return good;
}

bool filters_match(const struct filters *f, const struct filter_request *r)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct filter *each = &f->items[i];
		if (each->key < FILTER_BACKEND && matches_request(each, r) == each->not ) {
			return false;
		}
	}
	return true;
}

static bool matches_leg(const struct filter *f, const struct leg_row *leg)
{
	char status[12];
	switch (f->key) {
	case FILTER_BACKEND:
		return glob_matches(f, leg->backend);
	case FILTER_RUN:
		return id_compare(f->id, leg->run) == 0;
	case FILTER_STATUS:
		snprintf(status, sizeof(status), "%d", leg->status);
		return glob_matches(f, status);
	case FILTER_OUTCOME:
		return leg->outcome > 0 && leg->outcome < N_OUTCOMES &&
		       glob_matches(f, outcome_name(leg->outcome));
	case FILTER_REPLICA:
		return glob_matches(f, leg->replica ? leg->replica : leg->fingerprint);
	default:
		return true;
	}
}

bool filters_match_leg(const struct filters *f, const struct leg_row *leg)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct filter *each = &f->items[i];
		if (each->key >= FILTER_BACKEND && matches_leg(each, leg) == each->not ) {
			return false;
		}
	}
	return true;
}
