#include "proxy/settings/backends.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "proxy/settings/keys.h"
#include "proxy/settings/types.h"

static struct backend_settings defaults_of(enum role role)
{
	return (struct backend_settings){
	        .role = role,
	        .connect_timeout = 10 * SECOND_NS,
	        .idle_timeout = role == ROLE_PRIMARY ? 0 : 600 * SECOND_NS,
	        .on_client_gone = role == ROLE_PRIMARY ? GONE_CANCEL : GONE_FINISH,
	        .score = {.max_prompt_tokens = 2048, .generate = 0.1},
	        .sample = {.share = 1, .salt = xstrdup("")},
	        .max_concurrency = 64,
	        .poll = 600 * SECOND_NS,
	        .queue_limit = 32 * MIB,
	        .answer_limit = 64 * MIB,
	        .total_timeout = 3600 * SECOND_NS,
	};
}

static void finish_backend(struct backend_settings *b)
{
	setting_finish(SETTINGS_BACKEND_KEYS, b);
	setting_finish(SETTINGS_REFERENCE_KEYS, b);
	if (b->api_key) {
		explicit_bzero(b->api_key, strlen(b->api_key));
		free(b->api_key);
	}
}

void settings_init_primary(struct settings *s)
{
	s->primary = defaults_of(ROLE_PRIMARY);
}

struct backend_settings *settings_add_reference(struct settings *s, enum role role)
{
	if (s->n_references == SETTINGS_REFERENCES_LIMIT) {
		return NULL;
	}
	s->references = xrealloc(s->references, (s->n_references + 1) * sizeof(*s->references));
	struct backend_settings *b = &s->references[s->n_references++];
	*b = defaults_of(role);
	return b;
}

/* The backend of that number. The primary is number 0. NULL: there is no such backend. */
static struct backend_settings *backend(struct settings *s, size_t number)
{
	return number == 0                 ? &s->primary
	       : number <= s->n_references ? &s->references[number - 1]
	                                   : NULL;
}

/* Whether another backend already has the name. */
static bool is_taken(struct settings *s, const char *name, const struct backend_settings *except)
{
	const struct backend_settings *b;
	for (size_t i = 0; (b = backend(s, i)); i++) {
		if (b != except && b->name && strcmp(b->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Reading the file. */

static void read_backend(
        struct conf *y, const struct conf_node *n, struct settings *s, struct backend_settings *b)
{
	setting_read(y, n, SETTINGS_BACKEND_KEYS, b);
	if (b->name && is_taken(s, b->name, b)) {
		conf_fail(y, conf_get(y, n, "name"),
		        "another backend is named %s; give each its own name", b->name);
	}
	bool primary = b->role == ROLE_PRIMARY;
	setting_read(y, n, primary ? SETTINGS_PRIMARY_KEYS : SETTINGS_REFERENCE_KEYS, b);
	conf_check_keys(y, n);
}

static void read_primary(struct conf *y, const struct conf_node *n, void *to)
{
	struct settings *s = to;
	if (conf_kind(n) == CONF_SCALAR) {
		setting_read_type(y, n, &setting_url, &s->primary);
	} else {
		read_backend(y, n, s, &s->primary);
	}
}

static void read_reference(struct conf *y, const struct conf_node *n, struct settings *s)
{
	struct backend_settings *b = settings_add_reference(s, ROLE_REFERENCE);
	if (!b) {
		conf_fail(y, n, "is one reference too many; the limit is %d",
		        SETTINGS_REFERENCES_LIMIT);
	} else if (conf_kind(n) == CONF_SCALAR) {
		setting_read_type(y, n, &setting_url, b);
	} else {
		read_backend(y, n, s, b);
		if (!b->url) {
			conf_fail(y, n, "has no url");
		}
	}
}

static void read_references(struct conf *y, const struct conf_node *n, void *to)
{
	if (!setting_is_list(y, n, "backends")) {
		return;
	}
	for (size_t i = 0; i < conf_size(n) && !conf_error(y); i++) {
		read_reference(y, conf_item(n, i), to);
	}
}

/* JSON. */

static void write_backend(struct json_writer *w, const char *key, const struct backend_settings *b)
{
	json_writer_open(w, key, '{');
	setting_write(w, SETTINGS_BACKEND_KEYS, b);
	bool primary = b->role == ROLE_PRIMARY;
	setting_write(w, primary ? SETTINGS_PRIMARY_KEYS : SETTINGS_REFERENCE_KEYS, b);
	json_writer_close(w, "}");
}

static void write_primary(struct json_writer *w, const char *key, const void *from)
{
	write_backend(w, key, &((const struct settings *)from)->primary);
}

static void write_references(struct json_writer *w, const char *key, const void *from)
{
	const struct settings *s = from;
	json_writer_open(w, key, '[');
	for (size_t i = 0; i < s->n_references; i++) {
		if (!s->references[i].of_primary) {
			write_backend(w, NULL, &s->references[i]);
		}
	}
	json_writer_close(w, "]");
}

static void finish_primary(void *at)
{
	finish_backend(&((struct settings *)at)->primary);
}

static void finish_references(void *at)
{
	struct settings *s = at;
	for (size_t i = 0; i < s->n_references; i++) {
		finish_backend(&s->references[i]);
	}
	free(s->references);
}

const struct setting_type setting_primary = {
        .read = read_primary, .write = write_primary, .finish = finish_primary};
const struct setting_type setting_references = {
        .read = read_references, .write = write_references, .finish = finish_references};

/* Completing. */

static void give_name(struct settings *s, struct backend_settings *b)
{
	for (unsigned n = 1; !b->name; n++) {
		const char *word = role_name(b->role);
		char *name = n == 1 ? xstrdup(word) : xasprintf("%s-%u", word, n);
		if (b->role != ROLE_PRIMARY && is_taken(s, name, b)) {
			free(name);
		} else {
			b->name = name;
		}
	}
}

#define SELF_SHARE 0.01

/* primary.self: adds the primary as a reference that gets one answer in a hundred. */
static char *add_self(struct settings *s)
{
	struct backend_settings *b = settings_add_reference(s, ROLE_REFERENCE);
	if (!b) {
		return xasprintf("primary.self counts as a reference, and there are already %d, "
		                 "which is the limit",
		        SETTINGS_REFERENCES_LIMIT);
	}
	const struct backend_settings *p = &s->primary;
	b->of_primary = true;
	b->name = xasprintf("%s-self", p->name);
	setting_replace(&b->url, p->url);
	setting_replace(&b->base_path, p->base_path);
	setting_replace(&b->ca_file, p->ca_file);
	setting_replace(&b->api_key_env, p->api_key_env);
	b->url_line = p->url_line;
	b->connect_timeout = p->connect_timeout;
	b->dialect = p->dialect;
	b->poll = p->poll;
	b->mode = MIRROR_SCORE;
	b->sample.share = SELF_SHARE;
	b->sample.by_exchange = true;
	b->max_concurrency = 1;
	b->has_max_concurrency = true;
	b->queue_limit = 0;
	return NULL;
}

char *settings_complete_backends(struct settings *s)
{
	struct backend_settings *b;
	give_name(s, &s->primary);
	char *problem = s->primary.score.self ? add_self(s) : NULL;
	if (problem) {
		return problem;
	}
	for (size_t i = 0; (b = backend(s, i)); i++) {
		give_name(s, b);
		setting_replace(&b->api_key, b->api_key_env ? getenv(b->api_key_env) : NULL);
	}
	for (size_t i = 0; (b = backend(s, i)); i++) {
		if (is_taken(s, b->name, b)) {
			return xasprintf(
			        "two backends are named %s; give each its own name", b->name);
		}
	}
	return NULL;
}
