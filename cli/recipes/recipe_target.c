#include "cli/recipes/recipe_target.h"

#include <stdlib.h>
#include <string.h>

#include "backends/transport/base_url.h"
#include "base/json.h"
#include "base/mem.h"

/* infer-check's prefixes of model names. */
static const struct {
	const char *prefix, *url;
} SERVERS[] = {
        {"ollama:", "http://127.0.0.1:11434"},
        {"vllm-mlx:", "http://127.0.0.1:8000"},
        {"gguf:", "http://127.0.0.1:8080"},
};

/* The length of the label in "LABEL=..."; 0: there is no label. */
static size_t label_length(const char *word)
{
	size_t n = strcspn(word, "=:/,");
	return n > 0 && word[n] == '=' ? n : 0;
}

static size_t server_of(const char *word)
{
	size_t i = 0;
	while (i < ARRAY_LEN(SERVERS) &&
	        strncmp(word, SERVERS[i].prefix, strlen(SERVERS[i].prefix)) != 0) {
		i++;
	}
	return i;
}

bool recipe_target_is_one(const char *word)
{
	size_t label = label_length(word);
	const char *to = word + (label ? label + 1 : 0);
	return label > 0 || base_url_is_one(to) || server_of(to) < ARRAY_LEN(SERVERS);
}

bool recipe_target_is_value(const char *text)
{
	char *object = xasprintf("{\"value\":%s}", text);
	bool good = json_is_one_object(span_of(object));
	free(object);
	return good;
}

static char *take_member(struct recipe_target *t, char *name, char *value)
{
	if (t->n_members == ARRAY_LEN(t->members)) {
		return xasprintf("more than %zu members to set", ARRAY_LEN(t->members));
	}
	if (!*name || !recipe_target_is_value(value)) {
		return xasprintf(
		        "a target needs set.MEMBER=JSON, not set.%.60s=%.60s", name, value);
	}
	t->members[t->n_members++] = (struct member_setting){name, value};
	return NULL;
}

static char *take_setting(
        struct recipe_target *t, char *setting, struct replay_backend_options *options)
{
	char *value = strchr(setting, '=');
	if (!value) {
		return xasprintf("a target's settings are model=, dialect=, api-key-env=, align= "
		                 "and set.MEMBER=, not %.60s",
		        setting);
	}
	*value++ = '\0';
	if (!*value) {
		return xasprintf("%.60s= of a target has an empty value; is a variable of the "
		                 "shell not set?",
		        setting);
	}
	if (strcmp(setting, "model") == 0) {
		options->model = value;
	} else if (strcmp(setting, "dialect") == 0) {
		options->dialect = value;
	} else if (strcmp(setting, "api-key-env") == 0) {
		options->api_key_env = value;
	} else if (strcmp(setting, "align") == 0) {
		options->has_align = true;
		return align_parse(value, &options->align)
		               ? NULL
		               : xasprintf("align= needs off, greedy or same, not %.60s", value);
	} else if (strncmp(setting, "set.", 4) == 0) {
		return take_member(t, setting + 4, value);
	} else {
		return xasprintf("a target's settings are model=, dialect=, api-key-env=, align= "
		                 "and set.MEMBER=, not %.60s=",
		        setting);
	}
	return NULL;
}

/* Finds the comma that ends a setting. Commas within quotes, brackets and braces belong to a
 * value. */
static char *setting_end(char *at)
{
	int depth = 0;
	bool quoted = false;
	for (; *at; at++) {
		if (*at == '"' && (!quoted || at[-1] != '\\')) {
			quoted = !quoted;
		} else if (!quoted && strchr("[{", *at)) {
			depth++;
		} else if (!quoted && strchr("]}", *at)) {
			depth--;
		} else if (*at == ',' && !quoted && depth <= 0) {
			return at;
		}
	}
	return NULL;
}

char *recipe_target_parse(struct recipe_target *t, const char *word, const char *base_url,
        struct replay_backend_options *options)
{
	char *problem = NULL, *at = t->text = xstrdup(word);
	const char *of_all = options->model;
	options->model = NULL;
	size_t label = label_length(at);
	if (label) {
		at[label] = '\0';
		options->name = at;
		at += label + 1;
	}
	options->to = at;
	char *end = setting_end(at);
	while (end && !problem) {
		*end = '\0';
		char *setting = end + 1;
		end = setting_end(setting);
		if (end) {
			*end = '\0';
		}
		problem = take_setting(t, setting, options);
	}
	size_t server = server_of(options->to);
	if (server < ARRAY_LEN(SERVERS)) {
		const char *model = options->to + strlen(SERVERS[server].prefix);
		options->model = options->model ? options->model : model;
		options->name = options->name ? options->name : options->to;
		options->to = base_url ? base_url : SERVERS[server].url;
	}
	options->model = options->model ? options->model : of_all;
	return problem        ? problem
	       : *options->to ? NULL
	                      : xasprintf("a target is [LABEL=]URL or NAME, not %.100s", word);
}

void recipe_target_finish(struct recipe_target *t)
{
	free(t->text);
	*t = (struct recipe_target){0};
}
