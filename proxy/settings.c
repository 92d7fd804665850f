#include "proxy/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "proxy/settings_parts.h"

#define SECOND UINT64_C(1000000000)
#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

const char *const SETTINGS_TRANSPORT_WORDS[] = {"auto", "curl", NULL};
const char *const SETTINGS_INJECT_WORDS[] = {"both", "references", "off", "always", NULL};
const char *const SETTINGS_MODE_WORDS[] = {"generate", "score", "both", NULL};
const char *const SETTINGS_LEVEL_WORDS[] = {"error", "warn", "info", "debug", NULL};

bool settings_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

void settings_replace(char **text, const char *value)
{
	free(*text);
	*text = value ? xstrdup(value) : NULL;
}

static void backend_init(struct backend_settings *b, enum role role)
{
	*b = (struct backend_settings){
	        .role = role,
	        .connect_timeout = 10 * SECOND,
	        .idle_timeout = role == ROLE_PRIMARY ? 0 : 600 * SECOND,
	        .on_client_gone = role == ROLE_PRIMARY ? GONE_CANCEL : GONE_FINISH,
	        .score = {.max_prompt_tokens = 2048, .generate = 0.1},
	        .sample = {.share = 1, .by_session = true},
	        .max_concurrency = 64,
	        .poll = 600 * SECOND,
	        .queue_limit = 32 * MIB,
	        .answer_limit = 64 * MIB,
	        .total_timeout = 3600 * SECOND,
	};
}

static void backend_finish(struct backend_settings *b)
{
	free(b->name);
	free(b->url);
	free(b->base_path);
	free(b->url_note);
	free(b->ca_file);
	free(b->sample.salt);
	for (size_t i = 0; i < b->sample.n_keys; i++) {
		free(b->sample.keys[i].name);
	}
	free(b->api_key_env);
	if (b->api_key) {
		explicit_bzero(b->api_key, strlen(b->api_key));
		free(b->api_key);
	}
	for (size_t i = 0; i < b->n_models; i++) {
		free(b->models[i].from);
		free(b->models[i].to);
	}
	free(b->models);
	for (size_t i = 0; i < b->n_members; i++) {
		free(b->members[i].name);
		free(b->members[i].json);
	}
	free(b->members);
	free(b->replica_header);
	for (size_t i = 0; i < b->n_stack; i++) {
		free(b->stack[i].name);
		free(b->stack[i].value);
	}
	free(b->stack);
}

static void address_finish(struct address *a)
{
	free(a->text);
	free(a->host);
}

static void words_finish(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(words[i]);
	}
	free(words);
}

static struct settings *settings_create(void)
{
	struct settings *s = xmalloc(sizeof(*s));
	*s = (struct settings){
	        .refs = 1,
	        .workers = 1,
	        .drain_timeout = 30 * SECOND,
	        .clients = {.places = 20000,
	                .head_timeout = 60 * SECOND,
	                .body_timeout = 60 * SECOND,
	                .idle_timeout = 600 * SECOND,
	                .stall_timeout = 300 * SECOND},
	        .memory_limit = 256 * MIB,
	        .relay_window = 64 * KIB,
	        .inject = INJECT_BOTH,
	        .top_logprobs = 5,
	        .inject_share = 1,
	        .plain_share = 0.01,
	        .max_slowdown = 0.1,
	        .inject_limit = 8 * MIB,
	        .capture_max_size = 20 * GIB,
	        .capture_drop_oldest = true,
	        .privacy = {.content = CONTENT_FULL},
	        .encoders = 1,
	        .recorder_scheduling = SCHEDULING_AUTO,
	        .recorder_queue = 64 * MIB,
	        .log_level = LOG_LEVEL_INFO,
	};
	settings_init_primary(s);
	return s;
}

static void settings_destroy(struct settings *s)
{
	address_finish(&s->listen);
	address_finish(&s->admin);
	backend_finish(&s->primary);
	for (size_t i = 0; i < s->n_references; i++) {
		backend_finish(&s->references[i]);
	}
	free(s->references);
	words_finish(s->mirror_suffixes, s->n_mirror_suffixes);
	redact_policy_unref(s->privacy.policy);
	free(s->privacy.said);
	words_finish(s->opt_out_models, s->n_opt_out_models);
	words_finish(s->record_headers, s->n_record_headers);
	free(s->capture_path);
	free(s->hash_key_env);
	free(s);
}

struct settings *settings_ref(struct settings *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}

void settings_unref(struct settings *s)
{
	if (s && atomic_fetch_sub(&s->refs, 1) == 1) {
		settings_destroy(s);
	}
}

void settings_init_primary(struct settings *s)
{
	backend_finish(&s->primary);
	backend_init(&s->primary, ROLE_PRIMARY);
}

struct backend_settings *settings_add_reference(struct settings *s, enum role role)
{
	if (s->n_references == SETTINGS_REFERENCES_LIMIT) {
		return NULL;
	}
	s->references = xrealloc(s->references, (s->n_references + 1) * sizeof(*s->references));
	struct backend_settings *b = &s->references[s->n_references++];
	backend_init(b, role);
	return b;
}

bool settings_name_is_taken(
        const struct settings *s, const char *name, const struct backend_settings *except)
{
	if (&s->primary != except && s->primary.name && strcmp(s->primary.name, name) == 0) {
		return true;
	}
	for (size_t i = 0; i < s->n_references; i++) {
		const struct backend_settings *b = &s->references[i];
		if (b != except && b->name && strcmp(b->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* primary, reference, reference-2, candidate: where no name was given. */
static void name_the_nameless(struct settings *s)
{
	if (!s->primary.name) {
		s->primary.name = xstrdup("primary");
	}
	for (size_t i = 0; i < s->n_references; i++) {
		struct backend_settings *b = &s->references[i];
		for (unsigned n = 1; !b->name; n++) {
			const char *word = b->role == ROLE_CANDIDATE ? "candidate" : "reference";
			char *name = n == 1 ? xstrdup(word) : xasprintf("%s-%u", word, n);
			if (settings_name_is_taken(s, name, b)) {
				free(name);
			} else {
				b->name = name;
			}
		}
	}
}

static char *check_names(const struct settings *s)
{
	if (settings_name_is_taken(s, s->primary.name, &s->primary)) {
		return xasprintf(
		        "two backends are named %s; give each its own name", s->primary.name);
	}
	for (size_t i = 0; i < s->n_references; i++) {
		const struct backend_settings *b = &s->references[i];
		if (settings_name_is_taken(s, b->name, b)) {
			return xasprintf(
			        "two backends are named %s; give each its own name", b->name);
		}
	}
	return NULL;
}

bool settings_fits_segments(const struct settings *s)
{
	return s->capture_max_size == 0 || s->capture_max_size >= 2 * MAX(s->segment_size, MIB);
}

static char *fit_segments(struct settings *s)
{
	if (s->segment_size == 0) {
		s->segment_size = GIB;
		if (s->capture_max_size > 0) {
			s->segment_size = MIN(GIB, s->capture_max_size / 4 & ~(MIB - 1));
			s->segment_size = MAX(s->segment_size, MIB);
		}
	}
	return settings_fits_segments(s)
	               ? NULL
	               : xasprintf("capture: max_size %s", SETTINGS_SEGMENTS_RULE);
}

static char *check_whole(struct settings *s)
{
	if (!s->primary.url) {
		return xstrdup("there is no primary; give the engine's URL with --primary or in "
		               "the file as primary: {url: http://HOST:PORT}");
	}
	name_the_nameless(s);
	char *problem = check_names(s);
	return problem ? problem : fit_segments(s);
}

static void fill_listen(struct settings *s)
{
	if (!s->listen.host) {
		const char *problem =
		        settings_parse_address("127.0.0.1:8080", "127.0.0.1", &s->listen);
		expect(!problem);
	}
}

/* y: the file, or NULL without one. NULL, or the problem. */
static char *load(struct settings *s, const char *file, struct conf *y,
        const struct option_value *flags, size_t n)
{
	if (y) {
		settings_read_file(s, y);
		if (conf_error(y)) {
			return xstrdup(conf_error(y));
		}
	}
	char *problem = settings_read_flags(s, flags, n);
	if (problem) {
		return problem;
	}
	if (y) {
		settings_check_file(s, y);
		if (conf_error(y)) {
			return xstrdup(conf_error(y));
		}
	}
	fill_listen(s);
	problem = check_whole(s);
	if (problem && file) {
		char *named = xasprintf("%s: %s", file, problem);
		free(problem);
		problem = named;
	}
	return problem;
}

struct settings *settings_load(
        const char *file, const struct option_value *flags, size_t n_flags, char **ret_error)
{
	struct settings *s = settings_create();
	struct conf *y = NULL;
	char *problem = NULL;
	if (file) {
		y = conf_load(file, &problem);
	}
	if (!problem) {
		problem = load(s, file, y, flags, n_flags);
	}
	conf_destroy(y);
	if (problem) {
		*ret_error = problem;
		settings_unref(s);
		return NULL;
	}
	return s;
}
