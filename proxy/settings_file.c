/*
 * The configuration file. Every key is in docs/proxy.md; problems go into the document with their
 * lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/letters.h"
#include "base/mem.h"
#include "capture/privacy/privacy.h"
#include "proxy/settings_parts.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)
#define WORDS_LIMIT 256

static void read_address(
        struct conf *y, const struct conf_node *n, const char *any_host, struct address *to)
{
	const char *text = conf_string(y, n, NULL);
	const char *problem = text ? settings_parse_address(text, any_host, to) : NULL;
	if (problem) {
		conf_fail(y, n, "%s", problem);
	}
	if (text) {
		to->line = conf_line(n);
	}
}

/* A size within limits. */
static uint64_t read_bytes(
        struct conf *y, const struct conf_node *n, uint64_t min, uint64_t max, uint64_t fallback)
{
	uint64_t value = conf_bytes(y, n, fallback);
	if (n && !conf_error(y) && (value < min || value > max)) {
		conf_fail(y, n, "must be from %llu to %llu bytes", (unsigned long long)min,
		        (unsigned long long)max);
		return fallback;
	}
	return value;
}

static bool is_list(struct conf *y, const struct conf_node *n, const char *what)
{
	if (n && conf_kind(n) != CONF_LIST) {
		conf_fail(y, n, "must be a list of %s, like [a, b]", what);
		return false;
	}
	if (n && conf_size(n) > WORDS_LIMIT) {
		conf_fail(y, n, "has more than %d entries", WORDS_LIMIT);
		return false;
	}
	return n != NULL;
}

static void push_word(char ***words, size_t *n, const char *word)
{
	*words = xrealloc(*words, (*n + 1) * sizeof(char *));
	(*words)[(*n)++] = xstrdup(word);
}

/* The value of an environment variable that the file names; NULL after a problem. */
static const char *read_variable(struct conf *y, const struct conf_node *n)
{
	const char *name = conf_string(y, n, NULL);
	if (!name) {
		return NULL;
	}
	const char *value = getenv(name);
	if (!value || !*value) {
		conf_fail(y, n, "the environment variable %.64s is not set", name);
		return NULL;
	}
	for (const char *p = value; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f) {
			conf_fail(y, n, "the environment variable %.64s holds a control character",
			        name);
			return NULL;
		}
	}
	return value;
}

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
		conf_fail(y, n, "is one key too many; %d are the limit", SETTINGS_KEYS_LIMIT);
		return;
	}
	to->keys[to->n_keys++] = (struct session_key){.body = body, .name = xstrdup(name)};
}

static void read_sample(struct conf *y, const struct conf_node *n, struct sample *to)
{
	static const char *const BY[] = {"session", "exchange", NULL};
	if (!n || conf_kind(n) == CONF_SCALAR) {
		to->share = conf_share(y, n, to->share);
		return;
	}
	to->share = conf_share(y, conf_get(y, n, "share"), to->share);
	to->max_rate = conf_rate(y, conf_get(y, n, "max_rate"), to->max_rate);
	to->by_session = conf_choice(y, conf_get(y, n, "by"), BY, 0) == 0;
	settings_replace(&to->salt, conf_string(y, conf_get(y, n, "salt"), NULL));
	const struct conf_node *keys = conf_get(y, n, "session_key");
	if (keys && conf_kind(keys) == CONF_SCALAR) {
		read_session_key(y, keys, to);
	} else if (is_list(y, keys, "header:NAME and body:MEMBER")) {
		for (size_t i = 0; i < conf_size(keys); i++) {
			read_session_key(y, conf_item(keys, i), to);
		}
	}
	conf_check_keys(y, n);
}

static void read_models(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	if (!n) {
		return;
	}
	if (conf_kind(n) != CONF_MAP || conf_size(n) > WORDS_LIMIT) {
		conf_fail(y, n, "must be a map of at most %d models, like {asked: sent}",
		        WORDS_LIMIT);
		return;
	}
	to->models = xcalloc(conf_size(n), sizeof(*to->models));
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *from;
		const struct conf_node *value = conf_pair(n, i, &from);
		const char *model = conf_string(y, value, NULL);
		if (model) {
			to->models[to->n_models++] =
			        (struct model_map){xstrdup(from), xstrdup(model)};
		}
	}
}

/* json is taken over. */
static void add_member(struct conf *y, const struct conf_node *at, struct backend_settings *to,
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

static void read_members(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	const struct conf_node *set = conf_get(y, n, "set");
	if (set && (conf_kind(set) != CONF_MAP || conf_size(set) > WORDS_LIMIT)) {
		conf_fail(y, set, "must be a map of at most %d parameters, like {temperature: 0}",
		        WORDS_LIMIT);
	} else if (set) {
		for (size_t i = 0; i < conf_size(set); i++) {
			const char *name;
			const struct conf_node *value = conf_pair(set, i, &name);
			struct buf json = {0};
			conf_put_json(value, &json);
			add_member(y, value, to, name, buf_steal(&json));
		}
	}
	const struct conf_node *unset = conf_get(y, n, "unset");
	if (is_list(y, unset, "parameters")) {
		for (size_t i = 0; i < conf_size(unset); i++) {
			const struct conf_node *item = conf_item(unset, i);
			const char *name = conf_string(y, item, NULL);
			if (name) {
				add_member(y, item, to, name, NULL);
			}
		}
	}
}

static void read_url(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	const char *text = conf_string(y, n, NULL);
	if (!text) {
		return;
	}
	char *problem = settings_read_url(text, conf_line(n), to);
	if (problem) {
		conf_fail(y, n, "%s", problem);
		free(problem);
	}
}

/* What the primary and the references have in common. */
static void read_backend(struct conf *y, const struct conf_node *n, const struct settings *s,
        struct backend_settings *to)
{
	static const char *const GONE[] = {"cancel", "finish", NULL};
	const struct conf_node *name = conf_get(y, n, "name");
	settings_replace(&to->name, conf_string(y, name, NULL));
	const char *problem = to->name ? settings_check_name(to->name) : NULL;
	if (problem) {
		conf_fail(y, name, "%s", problem);
	} else if (to->name && settings_name_is_taken(s, to->name, to)) {
		conf_fail(y, name, "another backend is named %s; give each its own name", to->name);
	}
	read_url(y, conf_get(y, n, "url"), to);
	const struct conf_node *ca_file = conf_get(y, n, "ca_file");
	settings_replace(&to->ca_file, conf_string(y, ca_file, NULL));
	if (to->ca_file && access(to->ca_file, R_OK) < 0) {
		conf_fail(y, ca_file, "can't be read: %s", strerror(errno));
	}
	to->connect_timeout =
	        conf_duration(y, conf_get(y, n, "connect_timeout"), to->connect_timeout);
	to->idle_timeout = conf_duration(y, conf_get(y, n, "idle_timeout"), to->idle_timeout);
	to->on_client_gone = (enum on_client_gone)conf_choice(
	        y, conf_get(y, n, "on_client_gone"), GONE, (int)to->on_client_gone);
	const struct conf_node *key = conf_get(y, n, "api_key_env");
	settings_replace(&to->api_key_env, conf_string(y, key, NULL));
	settings_replace(&to->api_key, read_variable(y, key));
	settings_read_engine(y, n, to, to->role != ROLE_PRIMARY);
}

static void read_primary(struct conf *y, const struct conf_node *n, struct settings *s)
{
	if (!n) {
		return;
	}
	if (conf_kind(n) == CONF_SCALAR) {
		read_url(y, n, &s->primary);
		return;
	}
	read_backend(y, n, s, &s->primary);
	conf_check_keys(y, n);
}

static void read_reference(struct conf *y, const struct conf_node *n, struct settings *s)
{
	static const char *const ROLES[] = {"reference", "candidate", NULL};
	bool is_map = conf_kind(n) == CONF_MAP;
	const struct conf_node *role = is_map ? conf_get(y, n, "role") : NULL;
	bool candidate = conf_choice(y, role, ROLES, 0) == 1;
	struct backend_settings *to =
	        settings_add_reference(s, candidate ? ROLE_CANDIDATE : ROLE_REFERENCE);
	if (!to) {
		conf_fail(y, n, "is one reference too many; %d are the limit",
		        SETTINGS_REFERENCES_LIMIT);
		return;
	}
	if (conf_kind(n) == CONF_SCALAR) {
		read_url(y, n, to);
		return;
	}
	read_backend(y, n, s, to);
	if (!to->url) {
		conf_fail(y, n, "has no url");
	}
	read_sample(y, conf_get(y, n, "sample"), &to->sample);
	read_models(y, conf_get(y, n, "models"), to);
	read_members(y, n, to);
	const struct conf_node *concurrency = conf_get(y, n, "max_concurrency");
	to->max_concurrency = (unsigned)conf_int(y, concurrency, 1, 65535, to->max_concurrency);
	to->has_max_concurrency = concurrency != NULL;
	to->queue_limit =
	        read_bytes(y, conf_get(y, n, "queue_limit"), 0, 64 * GIB, to->queue_limit);
	to->answer_limit =
	        read_bytes(y, conf_get(y, n, "answer_limit"), KIB, 64 * GIB, to->answer_limit);
	to->total_timeout = conf_duration(y, conf_get(y, n, "timeout"), to->total_timeout);
	conf_check_keys(y, n);
}

static void read_references(struct conf *y, const struct conf_node *n, struct settings *s)
{
	if (!is_list(y, n, "backends")) {
		return;
	}
	for (size_t i = 0; i < conf_size(n) && !conf_error(y); i++) {
		read_reference(y, conf_item(n, i), s);
	}
}

static void read_opt_out(struct conf *y, const struct conf_node *n, struct settings *s)
{
	const struct conf_node *models = conf_get(y, n, "models");
	if (is_list(y, models, "models")) {
		for (size_t i = 0; i < conf_size(models); i++) {
			const struct conf_node *item = conf_item(models, i);
			char *model = span_dup(span_trim(span_of(conf_string(y, item, "?"))));
			const char *star = strchr(model, '*');
			if (!*model || (star && star[1])) {
				conf_fail(y, item,
				        "must be a model's name, or its beginning and a *");
			}
			push_word(&s->opt_out_models, &s->n_opt_out_models, model);
			free(model);
		}
	}
	conf_check_keys(y, n);
}

static void read_mirror(struct conf *y, const struct conf_node *n, struct settings *s)
{
	const struct conf_node *routes = conf_get(y, n, "routes");
	if (is_list(y, routes, "path suffixes")) {
		for (size_t i = 0; i < conf_size(routes); i++) {
			const struct conf_node *item = conf_item(routes, i);
			const char *suffix = conf_string(y, item, "/");
			if (*suffix != '/' || !suffix[1]) {
				conf_fail(y, item,
				        "must begin with a slash and name a path, like "
				        "/v1/embeddings");
			}
			push_word(&s->mirror_suffixes, &s->n_mirror_suffixes, suffix);
		}
	}
	conf_check_keys(y, n);
}

static void read_logprobs(struct conf *y, const struct conf_node *n, struct settings *s)
{
	s->inject = (enum inject_where)conf_choice(
	        y, conf_get(y, n, "inject"), SETTINGS_INJECT_WORDS, (int)s->inject);
	s->top_logprobs = (int)conf_int(y, conf_get(y, n, "top"), 0, 100, s->top_logprobs);
	s->inject_share = conf_share(y, conf_get(y, n, "share"), s->inject_share);
	s->plain_share = conf_share(y, conf_get(y, n, "plain_share"), s->plain_share);
	const struct conf_node *slowdown = conf_get(y, n, "max_slowdown");
	const char *text = conf_string(y, slowdown, NULL);
	const char *problem = text ? settings_parse_slowdown(text, &s->max_slowdown) : NULL;
	if (problem) {
		conf_fail(y, slowdown, "%s", problem);
	}
	s->inject_limit = read_bytes(y, conf_get(y, n, "limit"), KIB, 1 * GIB, s->inject_limit);
	conf_check_keys(y, n);
}

static void read_hash_key(struct conf *y, const struct conf_node *n, struct settings *s)
{
	const char *value = read_variable(y, n);
	if (!value) {
		return;
	}
	if (strlen(value) != 64 || strspn(value, "0123456789abcdefABCDEF") != 64) {
		conf_fail(y, n, "the variable must hold 64 hexadecimal digits");
		return;
	}
	settings_replace(&s->hash_key_env, conf_string(y, n, NULL));
}

static void read_headers(struct conf *y, const struct conf_node *n, struct settings *s)
{
	if (!is_list(y, n, "header names")) {
		return;
	}
	for (size_t i = 0; i < conf_size(n); i++) {
		const struct conf_node *item = conf_item(n, i);
		const char *name = conf_string(y, item, "x");
		if (!*name || strpbrk(name, " \t\r\n:")) {
			conf_fail(y, item, "is not the name of a header");
		} else if (privacy_is_credential(span_of(name))) {
			conf_fail(y, item, "%s bears a secret and is never recorded", name);
		}
		push_word(&s->record_headers, &s->n_record_headers, name);
	}
}

static void read_capture(struct conf *y, const struct conf_node *n, struct settings *s)
{
	static const char *const FULL[] = {"drop_oldest", "stop", NULL};
	static const char *const RECORD[] = {"all", "mirrored", NULL};
	if (!n) {
		return;
	}
	if (conf_kind(n) == CONF_SCALAR) {
		settings_replace(&s->capture_path, conf_string(y, n, NULL));
		return;
	}
	settings_replace(&s->capture_path, conf_string(y, conf_get(y, n, "path"), NULL));
	s->capture_max_size = conf_bytes(y, conf_get(y, n, "max_size"), s->capture_max_size);
	s->capture_retain = conf_duration(y, conf_get(y, n, "retain"), s->capture_retain);
	s->capture_drop_oldest = conf_choice(y, conf_get(y, n, "when_full"), FULL, 0) == 0;
	s->segment_size =
	        read_bytes(y, conf_get(y, n, "segment_size"), MIB, 1024 * GIB, s->segment_size);
	s->durable = conf_bool(y, conf_get(y, n, "durable"), s->durable);
	s->record_mirrored_only = conf_choice(y, conf_get(y, n, "record"), RECORD, 0) == 1;
	settings_read_privacy(y, n, &s->privacy);
	s->encoders = (unsigned)conf_int(y, conf_get(y, n, "encoders"), 1, 64, s->encoders);
	s->recorder_scheduling = (enum scheduling)conf_choice(
	        y, conf_get(y, n, "scheduling"), SCHEDULING_NAMES, (int)s->recorder_scheduling);
	s->recorder_queue =
	        read_bytes(y, conf_get(y, n, "queue_limit"), MIB, 64 * GIB, s->recorder_queue);
	read_hash_key(y, conf_get(y, n, "hash_key_env"), s);
	read_headers(y, conf_get(y, n, "headers"), s);
	conf_check_keys(y, n);
}

static void read_log(struct conf *y, const struct conf_node *n, struct settings *s)
{
	static const char *const FORMAT[] = {"text", "json", NULL};
	s->log_level = conf_choice(y, conf_get(y, n, "level"), SETTINGS_LEVEL_WORDS, s->log_level);
	const struct conf_node *format = conf_get(y, n, "format");
	s->log_json_set = format != NULL;
	s->log_json = conf_choice(y, format, FORMAT, 0) == 1;
	conf_check_keys(y, n);
}

static void read_clients(struct conf *y, const struct conf_node *n, struct client_limits *to)
{
	to->places = (unsigned)conf_int(y, conf_get(y, n, "limit"), 1, 1000000, to->places);
	to->head_timeout = conf_duration(y, conf_get(y, n, "head_timeout"), to->head_timeout);
	to->body_timeout = conf_duration(y, conf_get(y, n, "body_timeout"), to->body_timeout);
	to->idle_timeout = conf_duration(y, conf_get(y, n, "idle_timeout"), to->idle_timeout);
	to->stall_timeout = conf_duration(y, conf_get(y, n, "stall_timeout"), to->stall_timeout);
	conf_check_keys(y, n);
}

void settings_read_file(struct settings *s, struct conf *y)
{
	static const char *const HALF_CLOSE[] = {"gone", "keep", NULL};
	const struct conf_node *root = conf_root(y);
	read_address(y, conf_get(y, root, "listen"), "0.0.0.0", &s->listen);
	read_address(y, conf_get(y, root, "admin"), "127.0.0.1", &s->admin);
	s->share_port = conf_bool(y, conf_get(y, root, "share_port"), s->share_port);
	s->workers = (unsigned)conf_int(y, conf_get(y, root, "workers"), 1, 256, s->workers);
	s->by_curl = conf_choice(y, conf_get(y, root, "transport"), SETTINGS_TRANSPORT_WORDS,
	                     s->by_curl) == 1;
	s->half_close_keep = conf_choice(y, conf_get(y, root, "half_close"), HALF_CLOSE, 0) == 1;
	s->drain_timeout = conf_duration(y, conf_get(y, root, "drain_timeout"), s->drain_timeout);
	read_clients(y, conf_get(y, root, "clients"), &s->clients);
	s->memory_limit =
	        read_bytes(y, conf_get(y, root, "memory_limit"), MIB, 1024 * GIB, s->memory_limit);
	s->relay_window = read_bytes(
	        y, conf_get(y, root, "relay_window"), 4 * KIB, 16 * MIB, s->relay_window);
	read_primary(y, conf_get(y, root, "primary"), s);
	read_references(y, conf_get(y, root, "references"), s);
	read_mirror(y, conf_get(y, root, "mirror"), s);
	read_opt_out(y, conf_get(y, root, "opt_out"), s);
	read_logprobs(y, conf_get(y, root, "logprobs"), s);
	read_capture(y, conf_get(y, root, "capture"), s);
	read_log(y, conf_get(y, root, "log"), s);
	conf_check_keys(y, root);
}

void settings_check_file(const struct settings *s, struct conf *y)
{
	const struct conf_node *root = conf_root(y);
	const struct conf_node *primary = conf_get(y, root, "primary");
	const struct conf_node *capture = conf_get(y, root, "capture");
	if (primary && !s->primary.url) {
		conf_fail(y, primary, "has no url, and there is no --primary");
	}
	if (capture && !s->capture_path) {
		conf_fail(y, capture, "has no path, and there is no --capture");
	}
	bool long_form = capture && conf_kind(capture) == CONF_MAP;
	const struct conf_node *limit = long_form ? conf_get(y, capture, "max_size") : NULL;
	if (limit && !settings_fits_segments(s)) {
		conf_fail(y, limit, "%s", SETTINGS_SEGMENTS_RULE);
	}
}
