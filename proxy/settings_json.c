/*
 * The settings as JSON, by the names of the configuration file. Secrets are not in it: of a key,
 * only the name of its variable is told.
 */
#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"
#include "proxy/settings_parts.h"

/* An object under way; separators by themselves. */
struct out {
	struct buf text;
	unsigned depth;
	bool first;
};

static void begin_value(struct out *o, const char *key)
{
	if (!o->first) {
		buf_append_char(&o->text, ',');
	}
	o->first = false;
	if (o->depth > 0) {
		buf_printf(&o->text, "\n%*s", (int)o->depth * 2, "");
	}
	if (key) {
		json_put_string(&o->text, span_of(key));
		buf_append_str(&o->text, ": ");
	}
}

static void begin(struct out *o, const char *key, char bracket)
{
	begin_value(o, key);
	buf_append_char(&o->text, bracket);
	o->depth++;
	o->first = true;
}

static void end(struct out *o, char bracket)
{
	o->depth--;
	if (!o->first) {
		buf_printf(&o->text, "\n%*s", (int)o->depth * 2, "");
	}
	buf_append_char(&o->text, bracket);
	o->first = false;
}

static void put_string(struct out *o, const char *key, const char *value)
{
	begin_value(o, key);
	if (value) {
		json_put_string(&o->text, span_of(value));
	} else {
		buf_append_str(&o->text, "null");
	}
}

static void put_bool(struct out *o, const char *key, bool value)
{
	begin_value(o, key);
	buf_append_str(&o->text, value ? "true" : "false");
}

static void put_integer(struct out *o, const char *key, uint64_t value)
{
	begin_value(o, key);
	buf_printf(&o->text, "%llu", (unsigned long long)value);
}

static void put_number(struct out *o, const char *key, double value)
{
	begin_value(o, key);
	json_put_number(&o->text, value);
}

/* In seconds, as durations are read by machines. */
static void put_seconds(struct out *o, const char *key, uint64_t ns)
{
	put_number(o, key, (double)ns / 1e9);
}

static void put_words(struct out *o, const char *key, char *const *words, size_t n)
{
	begin(o, key, '[');
	for (size_t i = 0; i < n; i++) {
		put_string(o, NULL, words[i]);
	}
	end(o, ']');
}

static void put_sample(struct out *o, const struct sample *s)
{
	begin(o, "sample", '{');
	put_number(o, "share", s->share);
	put_number(o, "max_rate", s->max_rate);
	put_string(o, "by", s->by_session ? "session" : "exchange");
	put_string(o, "salt", s->salt ? s->salt : "");
	begin(o, "session_key", '[');
	for (size_t i = 0; i < s->n_keys; i++) {
		struct buf key = {0};
		buf_printf(&key, "%s:%s", s->keys[i].body ? "body" : "header", s->keys[i].name);
		put_string(o, NULL, buf_cstr(&key));
		buf_finish(&key);
	}
	end(o, ']');
	end(o, '}');
}

static void put_members(struct out *o, const struct backend_settings *b)
{
	begin(o, "set", '{');
	for (size_t i = 0; i < b->n_members; i++) {
		if (b->members[i].json) {
			begin_value(o, b->members[i].name);
			buf_append_str(&o->text, b->members[i].json);
		}
	}
	end(o, '}');
	begin(o, "unset", '[');
	for (size_t i = 0; i < b->n_members; i++) {
		if (!b->members[i].json) {
			put_string(o, NULL, b->members[i].name);
		}
	}
	end(o, ']');
}

/* Which engine it is, and how it is asked. */
static void put_engine(struct out *o, const struct backend_settings *b)
{
	static const char *const THINKING[] = {"as_asked", "on", "off"};
	put_string(o, "api_key_env", b->api_key_env);
	put_string(o, "dialect", b->dialect ? b->dialect->name : "auto");
	if (b->poll) {
		put_seconds(o, "poll", b->poll);
	} else {
		put_string(o, "poll", "off");
	}
	put_string(o, "replica_header", b->replica_header);
	begin(o, "stack", '{');
	for (size_t i = 0; i < b->n_stack; i++) {
		put_string(o, b->stack[i].name, b->stack[i].value);
	}
	end(o, '}');
	if (b->role != ROLE_PRIMARY) {
		const struct chat_template *t = b->completions_template;
		put_string(o, "align", align_name(b->align));
		put_string(o, "thinking", THINKING[b->thinking]);
		put_string(o, "completions_template", t ? template_name(t) : NULL);
	}
}

static void put_mode(struct out *o, const struct backend_settings *b)
{
	put_string(o, "mode", SETTINGS_MODE_WORDS[b->mode]);
	if (b->mode == MIRROR_GENERATE) {
		return;
	}
	begin(o, "score", '{');
	put_string(o, "prompt", SCORE_PROMPT_WORDS[b->score.prompt]);
	put_integer(o, "max_prompt_tokens", b->score.max_prompt_tokens);
	if (b->mode == MIRROR_BOTH) {
		put_number(o, "generate", b->score.generate);
	}
	end(o, '}');
	if (b->mode == MIRROR_BOTH) {
		put_bool(o, "self", b->score.self);
	}
}

static void put_backend(struct out *o, const char *key, const struct backend_settings *b)
{
	begin(o, key, '{');
	put_string(o, "name", b->name);
	put_string(o, "url", b->url);
	if (b->role != ROLE_PRIMARY) {
		put_string(o, "role", b->role == ROLE_CANDIDATE ? "candidate" : "reference");
	}
	put_string(o, "ca_file", b->ca_file);
	put_seconds(o, "connect_timeout", b->connect_timeout);
	put_seconds(o, "idle_timeout", b->idle_timeout);
	put_string(o, "on_client_gone", b->on_client_gone == GONE_FINISH ? "finish" : "cancel");
	put_engine(o, b);
	if (b->role != ROLE_PRIMARY) {
		put_mode(o, b);
		put_sample(o, &b->sample);
		begin(o, "models", '{');
		for (size_t i = 0; i < b->n_models; i++) {
			put_string(o, b->models[i].from, b->models[i].to);
		}
		end(o, '}');
		put_members(o, b);
		put_integer(o, "max_concurrency", b->max_concurrency);
		put_integer(o, "queue_limit", b->queue_limit);
		put_integer(o, "answer_limit", b->answer_limit);
		put_seconds(o, "timeout", b->total_timeout);
	}
	end(o, '}');
}

static void put_privacy(struct out *o, const struct privacy_settings *p)
{
	put_string(o, "content", settings_content_word(p->content));
	if (p->content != CONTENT_REDACTED) {
		return;
	}
	begin(o, "redact", '{');
	begin(o, "secrets", '[');
	for (int i = 0; i < N_SECRETS; i++) {
		if (p->secrets & 1u << i) {
			put_string(o, NULL, secret_name((enum secret)i));
		}
	}
	end(o, ']');
	put_integer(o, "patterns", p->n_patterns);
	put_integer(o, "members", p->n_members);
	end(o, '}');
}

static void put_capture(struct out *o, const struct settings *s)
{
	begin(o, "capture", '{');
	put_string(o, "path", s->capture_path);
	put_integer(o, "max_size", s->capture_max_size);
	put_seconds(o, "retain", s->capture_retain);
	put_string(o, "when_full", s->capture_drop_oldest ? "drop_oldest" : "stop");
	put_integer(o, "segment_size", s->segment_size);
	put_bool(o, "durable", s->durable);
	put_string(o, "record", s->record_mirrored_only ? "mirrored" : "all");
	put_privacy(o, &s->privacy);
	put_integer(o, "encoders", s->encoders);
	put_string(o, "scheduling", SCHEDULING_NAMES[s->recorder_scheduling]);
	put_integer(o, "queue_limit", s->recorder_queue);
	put_string(o, "hash_key_env", s->hash_key_env);
	put_words(o, "headers", s->record_headers, s->n_record_headers);
	end(o, '}');
}

static void put_backends(struct out *o, const struct settings *s)
{
	put_backend(o, "primary", &s->primary);
	begin(o, "references", '[');
	for (size_t i = 0; i < s->n_references; i++) {
		put_backend(o, NULL, &s->references[i]);
	}
	end(o, ']');
}

static void put_clients(struct out *o, const struct client_limits *c)
{
	begin(o, "clients", '{');
	put_integer(o, "limit", c->places);
	put_seconds(o, "head_timeout", c->head_timeout);
	put_seconds(o, "body_timeout", c->body_timeout);
	put_seconds(o, "idle_timeout", c->idle_timeout);
	put_seconds(o, "stall_timeout", c->stall_timeout);
	end(o, '}');
}

char *settings_json(const struct settings *s)
{
	struct out o = {.first = true};
	begin(&o, NULL, '{');
	put_string(&o, "listen", s->listen.text);
	put_string(&o, "admin", s->admin.text);
	put_bool(&o, "share_port", s->share_port);
	put_integer(&o, "workers", s->workers);
	put_string(&o, "transport", SETTINGS_TRANSPORT_WORDS[s->by_curl]);
	put_string(&o, "half_close", s->half_close_keep ? "keep" : "gone");
	put_seconds(&o, "drain_timeout", s->drain_timeout);
	put_clients(&o, &s->clients);
	put_integer(&o, "memory_limit", s->memory_limit);
	put_integer(&o, "relay_window", s->relay_window);
	put_backends(&o, s);
	begin(&o, "mirror", '{');
	put_words(&o, "routes", s->mirror_suffixes, s->n_mirror_suffixes);
	end(&o, '}');
	begin(&o, "opt_out", '{');
	put_words(&o, "models", s->opt_out_models, s->n_opt_out_models);
	end(&o, '}');
	begin(&o, "logprobs", '{');
	put_string(&o, "inject", SETTINGS_INJECT_WORDS[s->inject]);
	put_integer(&o, "top", (uint64_t)s->top_logprobs);
	put_number(&o, "share", s->inject_share);
	put_number(&o, "plain_share", s->plain_share);
	if (s->max_slowdown < 0) {
		put_string(&o, "max_slowdown", "off");
	} else {
		put_number(&o, "max_slowdown", s->max_slowdown);
	}
	put_integer(&o, "limit", s->inject_limit);
	end(&o, '}');
	if (s->capture_path) {
		put_capture(&o, s);
	}
	begin(&o, "log", '{');
	put_string(&o, "level", SETTINGS_LEVEL_WORDS[s->log_level]);
	put_string(&o, "format", !s->log_json_set ? "auto" : s->log_json ? "json" : "text");
	end(&o, '}');
	end(&o, '}');
	return buf_steal(&o.text);
}
