/*
 * Setting types of keys that only backends have.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/transport/base_url.h"
#include "base/mem.h"
#include "proxy/settings/types.h"

#define DIALECTS_LIMIT 64
#define STACK_LIMIT 128

static char *parse_url(const char *text, int line, void *to)
{
	struct backend_settings *b = to;
	struct base_url url;
	char *problem = base_url_read(text, &url);
	if (problem) {
		return problem;
	}
	free(b->url);
	free(b->base_path);
	free(b->url_note);
	b->url = url.url;
	b->base_path = url.path;
	b->url_note = url.had_v1 ? base_url_v1_removed(&url) : NULL;
	b->url_line = line;
	return NULL;
}

static void write_url(struct json_writer *w, const char *key, const void *from)
{
	json_writer_text(w, key, ((const struct backend_settings *)from)->url);
}

static void finish_url(void *at)
{
	struct backend_settings *b = at;
	free(b->url);
	free(b->base_path);
	free(b->url_note);
}

const struct setting_type setting_url = {
        .parse = parse_url, .write = write_url, .finish = finish_url};

static void read_dialect(struct conf *y, const struct conf_node *n, void *to)
{
	const char *words[DIALECTS_LIMIT + 2] = {"auto"};
	size_t count;
	const struct dialect *const *all = dialects(&count);
	expect(count <= DIALECTS_LIMIT);
	for (size_t i = 0; i < count; i++) {
		words[i + 1] = all[i]->name;
	}
	int choice = conf_choice(y, n, words, 0);
	*(const struct dialect **)to = choice > 0 ? all[choice - 1] : NULL;
}

static void write_dialect(struct json_writer *w, const char *key, const void *from)
{
	const struct dialect *d = *(const struct dialect *const *)from;
	json_writer_text(w, key, d ? d->name : "auto");
}

const struct setting_type setting_dialect = {.read = read_dialect, .write = write_dialect};

static void read_template(struct conf *y, const struct conf_node *n, void *to)
{
	const char *const *names = template_names();
	int choice = conf_choice(y, n, names, -1);
	*(const struct chat_template **)to = choice >= 0 ? template_find(names[choice]) : NULL;
}

static void write_template(struct json_writer *w, const char *key, const void *from)
{
	const struct chat_template *t = *(const struct chat_template *const *)from;
	json_writer_text(w, key, t ? template_name(t) : NULL);
}

const struct setting_type setting_template = {.read = read_template, .write = write_template};

/* False: n is no map, or one of more than `limit` pairs, which is reported to y. */
static bool is_map(struct conf *y, const struct conf_node *n, size_t limit, const char *of)
{
	bool is = conf_kind(n) == CONF_MAP && conf_size(n) <= limit;
	if (!is) {
		conf_fail(y, n, "must be a map of at most %zu %s", limit, of);
	}
	return is;
}

static void read_stack(struct conf *y, const struct conf_node *n, void *to)
{
	struct backend_settings *b = to;
	if (!is_map(y, n, STACK_LIMIT, "facts, like {accelerator: 2 x H100}")) {
		return;
	}
	b->stack = xcalloc(conf_size(n) + 1, sizeof(*b->stack));
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *name;
		const struct conf_node *value = conf_pair(n, i, &name);
		const char *text = conf_string(y, value, NULL);
		setting_fail(y, value, setting_check_name(name));
		if (text) {
			b->stack[b->n_stack++] = (struct stack_fact){xstrdup(name), xstrdup(text)};
		}
	}
}

static void write_stack(struct json_writer *w, const char *key, const void *from)
{
	const struct backend_settings *b = from;
	json_writer_open(w, key, '{');
	for (size_t i = 0; i < b->n_stack; i++) {
		json_writer_text(w, b->stack[i].name, b->stack[i].value);
	}
	json_writer_close(w, "}");
}

static void finish_stack(void *at)
{
	struct backend_settings *b = at;
	for (size_t i = 0; i < b->n_stack; i++) {
		free(b->stack[i].name);
		free(b->stack[i].value);
	}
	free(b->stack);
}

const struct setting_type setting_stack = {
        .read = read_stack, .write = write_stack, .finish = finish_stack};

static void read_models(struct conf *y, const struct conf_node *n, void *to)
{
	struct copy_rules *r = to;
	if (!is_map(y, n, SETTING_ITEMS_LIMIT, "models, like {asked: sent}")) {
		return;
	}
	r->models = xcalloc(conf_size(n) + 1, sizeof(*r->models));
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *from;
		const struct conf_node *value = conf_pair(n, i, &from);
		const char *model = conf_string(y, value, NULL);
		if (model) {
			r->models[r->n_models++] =
			        (struct model_map){xstrdup(from), xstrdup(model)};
		}
	}
}

static void write_models(struct json_writer *w, const char *key, const void *from)
{
	const struct copy_rules *r = from;
	json_writer_open(w, key, '{');
	for (size_t i = 0; i < r->n_models; i++) {
		json_writer_text(w, r->models[i].from, r->models[i].to);
	}
	json_writer_close(w, "}");
}

const struct setting_type setting_models = {.read = read_models, .write = write_models};

/* json: NULL to unset the member. Takes ownership of it. */
static void add_member(struct conf *y, const struct conf_node *at, struct copy_rules *to,
        const char *name, char *json)
{
	if (to->n_models > 0 && strcmp(name, "model") == 0) {
		conf_fail(y, at, "the model is already replaced by models");
	}
	for (size_t i = 0; i < to->n_members; i++) {
		if (strcmp(to->members[i].name, name) == 0) {
			conf_fail(
			        y, at, "the parameter %.64s is named twice in set and unset", name);
		}
	}
	to->members = xrealloc(to->members, (to->n_members + 1) * sizeof(*to->members));
	to->members[to->n_members++] = (struct member_setting){xstrdup(name), json};
}

static void read_set(struct conf *y, const struct conf_node *n, void *to)
{
	if (!is_map(y, n, SETTING_ITEMS_LIMIT, "parameters, like {temperature: 0}")) {
		return;
	}
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *name;
		const struct conf_node *value = conf_pair(n, i, &name);
		struct buf json = {0};
		conf_put_json(value, &json);
		add_member(y, value, to, name, buf_steal(&json));
	}
}

static void write_set(struct json_writer *w, const char *key, const void *from)
{
	const struct copy_rules *r = from;
	json_writer_open(w, key, '{');
	for (size_t i = 0; i < r->n_members; i++) {
		if (r->members[i].json) {
			json_writer_raw(w, r->members[i].name, span_of(r->members[i].json));
		}
	}
	json_writer_close(w, "}");
}

static void read_unset(struct conf *y, const struct conf_node *n, void *to)
{
	if (!setting_is_list(y, n, "parameters")) {
		return;
	}
	for (size_t i = 0; i < conf_size(n); i++) {
		const struct conf_node *item = conf_item(n, i);
		const char *name = conf_string(y, item, NULL);
		if (name) {
			add_member(y, item, to, name, NULL);
		}
	}
}

static void write_unset(struct json_writer *w, const char *key, const void *from)
{
	const struct copy_rules *r = from;
	json_writer_open(w, key, '[');
	for (size_t i = 0; i < r->n_members; i++) {
		if (!r->members[i].json) {
			json_writer_text(w, NULL, r->members[i].name);
		}
	}
	json_writer_close(w, "]");
}

static void finish_rules(void *at)
{
	copy_rules_finish(at);
}

/* Frees the lists of all three types. */
const struct setting_type setting_set = {
        .read = read_set, .write = write_set, .finish = finish_rules};
const struct setting_type setting_unset = {.read = read_unset, .write = write_unset};

static void read_session_key(struct conf *y, const struct conf_node *n, struct sample *to)
{
	const char *text = conf_string(y, n, NULL);
	if (!text) {
		return;
	}
	bool header = strncmp(text, "header:", 7) == 0;
	bool body = strncmp(text, "body:", 5) == 0;
	const char *name = text + (header ? 7 : 5);
	if ((!header && !body) || !*name) {
		conf_fail(y, n, "must be header:NAME or body:MEMBER, not \"%.60s\"", text);
		return;
	}
	if (to->n_keys == SETTINGS_KEYS_LIMIT) {
		conf_fail(y, n, "is one key too many; the limit is %d", SETTINGS_KEYS_LIMIT);
		return;
	}
	to->keys[to->n_keys++] = (struct session_key){.body = body, .name = xstrdup(name)};
}

static void read_session_keys(struct conf *y, const struct conf_node *n, void *to)
{
	if (conf_kind(n) == CONF_SCALAR) {
		read_session_key(y, n, to);
	} else if (setting_is_list(y, n, "header:NAME and body:MEMBER")) {
		for (size_t i = 0; i < conf_size(n); i++) {
			read_session_key(y, conf_item(n, i), to);
		}
	}
}

static void write_session_keys(struct json_writer *w, const char *key, const void *from)
{
	const struct sample *s = from;
	json_writer_open(w, key, '[');
	for (size_t i = 0; i < s->n_keys; i++) {
		char *text =
		        xasprintf("%s:%s", s->keys[i].body ? "body" : "header", s->keys[i].name);
		json_writer_text(w, NULL, text);
		free(text);
	}
	json_writer_close(w, "]");
}

static void finish_session_keys(void *at)
{
	struct sample *s = at;
	for (size_t i = 0; i < s->n_keys; i++) {
		free(s->keys[i].name);
	}
}

const struct setting_type setting_session_keys = {
        .read = read_session_keys, .write = write_session_keys, .finish = finish_session_keys};
