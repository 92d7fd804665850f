#include "cli/known_backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/mem.h"
#include "capture/capture_meta.h"
#include "cli/engine_url.h"
#include "proxy/settings/settings.h"

static char *string_of(const json_t *o, const char *name)
{
	const char *text = json_string_value(json_object_get(o, name));
	return text && *text ? xstrdup(text) : NULL;
}

static void take_rules(const json_t *o, struct copy_rules *ret)
{
	const char *align = json_string_value(json_object_get(o, "align"));
	const char *thinking = json_string_value(json_object_get(o, "thinking"));
	const char *template = json_string_value(json_object_get(o, "completions_template"));
	json_t *models = json_object_get(o, "models"), *value;
	json_t *set = json_object_get(o, "set"), *unset = json_object_get(o, "unset");
	const char *name;
	size_t i;
	if (align && !align_parse(align, &ret->align)) {
		ret->align = ALIGN_NONE;
	}
	if (thinking && !thinking_parse(thinking, &ret->thinking)) {
		ret->thinking = THINKING_AS_ASKED;
	}
	ret->completions_template = template ? template_find(template) : NULL;
	ret->models = xcalloc(json_object_size(models) + 1, sizeof(*ret->models));
	json_object_foreach(models, name, value) {
		if (json_is_string(value)) {
			ret->models[ret->n_models++] = (struct model_map){
			        xstrdup(name), xstrdup(json_string_value(value))};
		}
	}
	ret->members =
	        xcalloc(json_object_size(set) + json_array_size(unset) + 1, sizeof(*ret->members));
	json_object_foreach(set, name, value) {
		char *json = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		expect(json);
		ret->members[ret->n_members++] = (struct member_setting){xstrdup(name), json};
	}
	json_array_foreach(unset, i, value) {
		if (json_is_string(value)) {
			ret->members[ret->n_members++] =
			        (struct member_setting){xstrdup(json_string_value(value)), NULL};
		}
	}
}

/* Takes the environment variable of the key from the user's own configuration only. A capture of
 * somebody else could otherwise choose which secret is sent where. */
static void take(const json_t *o, bool trusted, struct known_backend *ret)
{
	const char *role = json_string_value(json_object_get(o, "role"));
	*ret = (struct known_backend){
	        .name = string_of(o, "name"),
	        .url = string_of(o, "url"),
	        .ca_file = string_of(o, "ca_file"),
	        .api_key_env = trusted ? string_of(o, "api_key_env") : NULL,
	        .dialect = string_of(o, "dialect"),
	        .model = string_of(o, "model"),
	        .role = role && strcmp(role, "candidate") == 0 ? ROLE_CANDIDATE : ROLE_REFERENCE,
	};
	if (ret->dialect && strcmp(ret->dialect, "auto") == 0) {
		free(ret->dialect);
		ret->dialect = NULL;
	}
	take_rules(o, &ret->rules);
}

/* Collects the backends' names, each once and after ", ", for the error message that none of them
 * matches. */
static void note(struct buf *known, const json_t *backend)
{
	const char *name = json_string_value(json_object_get(backend, "name"));
	size_t before = known->len;
	if (!name || before >= 400) {
		return;
	}
	buf_printf(known, ", %s, ", name);
	const char *all = buf_cstr(known);
	bool is_new = strstr(all, all + before) == all + before;
	known->len = is_new ? known->len - 2 : before;
}

struct search { /* for a backend by its name */
	const char *name;
	const char *not_at; /* a URL that it must not have; NULL: it may have any */
	struct buf known;   /* names that are there */
};

/* Without a URL a backend cannot be called. */
static bool is_wanted(const struct search *s, const json_t *backend)
{
	const char *name = json_string_value(json_object_get(backend, "name"));
	const char *url = json_string_value(json_object_get(backend, "url"));
	return name && strcmp(name, s->name) == 0 && url &&
	       !(s->not_at && strcmp(url, s->not_at) == 0);
}

/* Looks for the backend in settings, as settings_json() writes them. `replay` is present if a
 * replay wrote the segment. */
static const json_t *find_backend(void *arg, const json_t *settings)
{
	struct search *s = arg;
	const json_t *references = json_object_get(settings, "references"), *found = NULL;
	for (size_t i = 0; i < 2 + json_array_size(references); i++) {
		const json_t *each = i == 0   ? json_object_get(settings, "primary")
		                     : i == 1 ? json_object_get(settings, "replay")
		                              : json_array_get(references, i - 2);
		note(&s->known, each);
		found = !found && is_wanted(s, each) ? each : found;
	}
	return found;
}

/* The first reference that scores answers. */
static const json_t *find_scorer(void *arg, const json_t *settings)
{
	const json_t *each;
	size_t i;
	json_array_foreach(json_object_get(settings, "references"), i, each) {
		const char *mode = json_string_value(json_object_get(each, "mode"));
		if (mode && (strcmp(mode, "score") == 0 || strcmp(mode, "both") == 0)) {
			return each;
		}
	}
	return NULL;
}

/* The newest settings in the capture in which find() finds something, and *ret: what it found. The
 * caller frees the settings. */
static json_t *newest_settings(struct capture *c,
        const json_t *(*find)(void *arg, const json_t *settings), void *arg, const json_t **ret)
{
	struct meta_row row;
	json_t *newest = NULL;
	uint64_t created_ns = 0;
	int r;
	*ret = NULL;
	for (size_t i = 0; (r = capture_meta(c, i, &row)) != -ENOENT; i++) {
		if (r < 0) {
			continue;
		}
		json_t *settings = row.settings ? json_loads(row.settings, 0, NULL) : NULL;
		const json_t *found = find(arg, settings);
		if (found && row.created_ns >= created_ns) {
			json_decref(newest);
			newest = json_incref(settings);
			*ret = found;
			created_ns = row.created_ns;
		}
		json_decref(settings);
		meta_row_finish(&row);
	}
	return newest;
}

/* The user's own settings. NULL: *ret_problem says why they cannot be read. */
static json_t *file_settings(const char *file, const char *name, char **ret_problem)
{
	struct settings *s = settings_load(file, NULL, 0, ret_problem);
	if (!s) {
		return NULL;
	}
	engine_url_report(s, name);
	char *json = settings_json(s);
	json_t *settings = json_loads(json, 0, NULL);
	free(json);
	settings_unref(s);
	return settings;
}

char *known_backend_find(struct capture *c, const char *config, const char *name, const char *url,
        struct known_backend *ret)
{
	struct search s = {.name = name};
	const json_t *found = NULL;
	char *problem = NULL;
	json_t *settings = config ? file_settings(config, name, &problem)
	                          : newest_settings(c, find_backend, &s, &found);
	*ret = (struct known_backend){0};
	if (config && settings) {
		found = find_backend(&s, settings);
	}
	if (found) {
		take(found, config != NULL, ret);
		ret->is_primary = found == json_object_get(settings, "primary");
	} else if (!problem && url) {
		*ret = (struct known_backend){.name = xstrdup(name), .role = ROLE_REFERENCE};
	} else if (!problem) {
		problem = xasprintf("no backend %s is in %s (which has: %s); give its URL (--url)",
		        name, config ? config : "the capture's settings",
		        s.known.len ? buf_cstr(&s.known) + 2 : "none");
	}
	if (!problem) {
		struct base_url at = {0};
		problem = engine_url_parse(url ? url : ret->url, &at);
		free(ret->url);
		ret->url = at.url;
		free(at.path);
	}
	if (!problem && url) {
		/* The key was meant for another address. */
		free(ret->api_key_env);
		ret->api_key_env = NULL;
	}
	if (problem) {
		known_backend_finish(ret);
	}
	json_decref(settings);
	buf_finish(&s.known);
	return problem;
}

char *known_backend_elsewhere(struct capture *c, const char *name, const char *url)
{
	struct search s = {.name = name, .not_at = url};
	const json_t *found;
	json_t *settings = newest_settings(c, find_backend, &s, &found);
	char *its = string_of(found, "url");
	json_decref(settings);
	buf_finish(&s.known);
	return its;
}

bool known_backend_exists(struct capture *c, const char *name, const char *url)
{
	struct search s = {.name = name};
	const json_t *found;
	json_t *settings = newest_settings(c, find_backend, &s, &found);
	const char *its = json_string_value(json_object_get(found, "url"));
	bool is = its && strcmp(its, url) == 0;
	json_decref(settings);
	buf_finish(&s.known);
	return is;
}

void known_backend_scorer(struct capture *c, struct advice_engine *ret)
{
	static const struct id ANY;
	const json_t *found;
	json_t *settings = newest_settings(c, find_scorer, NULL, &found);
	if (found) {
		*ret = (struct advice_engine){0};
		advice_engine_add_leg(ret, ANY, json_string_value(json_object_get(found, "url")),
		        json_string_value(json_object_get(found, "name")),
		        json_string_value(json_object_get(found, "dialect")));
	}
	json_decref(settings);
}

void known_backend_finish(struct known_backend *b)
{
	copy_rules_finish(&b->rules);
	free(b->name);
	free(b->url);
	free(b->ca_file);
	free(b->api_key_env);
	free(b->dialect);
	free(b->model);
	*b = (struct known_backend){0};
}

const char *known_backend_model(const struct known_backend *b, const char *requested)
{
	const char *mapped = requested ? copy_body_model(&b->rules, requested) : NULL;
	return mapped ? mapped : b->model ? b->model : requested;
}
