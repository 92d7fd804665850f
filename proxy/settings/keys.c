/* A key that is absent keeps its default: settings.c, settings_defaults(); of a backend: backends.c,
 * defaults_of(). */
#include "proxy/settings/keys.h"

#include "proxy/settings/backends.h"
#include "proxy/settings/types.h"

/* Short forms. T: the struct that has the members. */

#define END                                                                                        \
	{                                                                                          \
		.key = NULL                                                                        \
	}
#define AT(member) SETTING_AT(T, member)
#define BOOL(member) SETTING_BOOL, AT(member)
#define INTEGER(member, lowest, highest)                                                           \
	SETTING_INTEGER, AT(member), .low = (lowest), .high = (highest)
#define BYTES(member, lowest, highest) SETTING_BYTES, AT(member), .low = (lowest), .high = (highest)
#define DURATION(member) SETTING_DURATION, AT(member)
#define SHARE(member) SETTING_SHARE, AT(member)
#define RATE(member) SETTING_RATE, AT(member)
#define WORD(member, list) SETTING_WORD, AT(member), .words = (list)
/* The first word's number is not 0. */
#define WORD_FROM(member, list, first) WORD(member, list), .low = (first)
#define TEXT(member, checked) SETTING_TEXT, AT(member), .check = (checked)
#define TEXTS(member, checked, of) SETTING_TEXTS, AT(member), .check = (checked), .what = (of)
#define MAP(members) SETTING_MAP, .rows = (members)
#define TYPE(member, how) SETTING_TYPE, AT(member), .type = &(how)
/* Its type knows several members of the struct. */
#define WHOLE(how) SETTING_TYPE, .type = &(how)
/* Its option on the command line: its name, the name of its value, and its help. */
#define FLAG(name, of, what) .flag = (name), .value = (of), .help = (what)

/* Backends. */

#define T struct backend_settings

static const char *const ALIGNS[] = {"off", "greedy", "same", NULL};
static const char *const GONE[] = {"cancel", "finish", NULL};
static const char *const MODES[] = {"generate", "score", "both", NULL};
static const char *const ROLES[] = {"reference", "candidate", NULL};
static const char *const UNITS[] = {"session", "exchange", NULL};

const struct setting SETTINGS_BACKEND_KEYS[] = {
        {"name", TEXT(name, setting_check_name)},
        {"url", WHOLE(setting_url)},
        {"ca_file", TEXT(ca_file, setting_check_file)},
        {"connect_timeout", DURATION(connect_timeout)},
        {"idle_timeout", DURATION(idle_timeout)},
        {"on_client_gone", WORD(on_client_gone, GONE)},
        {"api_key_env", TEXT(api_key_env, setting_check_variable)},
        {"dialect", TYPE(dialect, setting_dialect)},
        {"poll", TYPE(poll, setting_poll)},
        {"replica_header", TEXT(replica_header, setting_check_header)},
        {"stack", WHOLE(setting_stack)},
        END,
};

const struct setting SETTINGS_PRIMARY_KEYS[] = {
        {"self", BOOL(score.self)},
        END,
};

static bool scores(const void *backend)
{
	return ((const T *)backend)->mode != MIRROR_GENERATE;
}

static bool generates_and_scores(const void *backend)
{
	return ((const T *)backend)->mode == MIRROR_BOTH;
}

static const struct setting score_keys[] = {
        {"prompt", WORD(score.prompt, SCORE_PROMPT_WORDS)},
        {"max_prompt_tokens", INTEGER(score.max_prompt_tokens, 1, SCORE_TOKENS_LIMIT)},
        {"generate", SHARE(score.generate), .applies = generates_and_scores,
                .goes_with = "goes with mode: both"},
        END,
};

static const struct setting sample_keys[] = {
        {"share", SHARE(sample.share)},
        {"max_rate", RATE(sample.max_rate)},
        {"by", WORD(sample.by_exchange, UNITS)},
        {"salt", TEXT(sample.salt, NULL)},
        {"session_key", TYPE(sample, setting_session_keys)},
        END,
};

const struct setting SETTINGS_REFERENCE_KEYS[] = {
        {"role", WORD_FROM(role, ROLES, ROLE_REFERENCE)},
        {"align", WORD(rules.align, ALIGNS)},
        {"thinking", WORD(rules.thinking, THINKING_NAMES)},
        {"completions_template", TYPE(rules.completions_template, setting_template)},
        {"mode", WORD(mode, MODES)},
        {"score", MAP(score_keys), .applies = scores,
                .goes_with = "goes with mode: score or mode: both"},
        {"self", BOOL(score.self), .applies = generates_and_scores,
                .goes_with = "goes with mode: both"},
        {"sample", MAP(sample_keys), .scalar = &sample_keys[0]},
        {"models", TYPE(rules, setting_models)},
        {"set", TYPE(rules, setting_set)},
        {"unset", TYPE(rules, setting_unset)},
        {"max_concurrency", INTEGER(max_concurrency, 1, 65535),
                .given = offsetof(T, has_max_concurrency)},
        {"queue_limit", BYTES(queue_limit, 0, 64 * GIB)},
        {"answer_limit", BYTES(answer_limit, KIB, 64 * GIB)},
        {"timeout", DURATION(total_timeout)},
        END,
};

/* The whole file. */

#undef T
#define T struct settings

static const char *const CONTENTS[] = {"full", "redacted", "metadata", NULL};
static const char *const FORMATS[] = {"auto", "text", "json", NULL};
static const char *const HALF_CLOSE[] = {"gone", "keep", NULL};
static const char *const INJECT[] = {"both", "references", "off", "always", NULL};
static const char *const LEVELS[] = {"error", "warn", "info", "debug", NULL};
static const char *const RECORDED[] = {"all", "mirrored", NULL};
static const char *const TRANSPORTS[] = {"auto", "curl", NULL};
static const char *const WHEN_FULL[] = {"drop_oldest", "stop", NULL};

static bool records(const void *s)
{
	return ((const T *)s)->capture_path;
}

static bool redacts(const void *s)
{
	return ((const T *)s)->privacy.content == CONTENT_REDACTED;
}

static const struct setting client_keys[] = {
        {"limit", INTEGER(clients.limit, 1, 1000000)},
        {"head_timeout", DURATION(clients.head_timeout)},
        {"body_timeout", DURATION(clients.body_timeout)},
        {"idle_timeout", DURATION(clients.idle_timeout)},
        {"stall_timeout", DURATION(clients.stall_timeout)},
        END,
};

static const struct setting mirror_keys[] = {
        {"routes", TEXTS(mirror_routes, setting_check_route, "path suffixes")},
        END,
};

static const struct setting opt_out_keys[] = {
        {"models", TEXTS(opt_out_models, setting_check_model, "models")},
        END,
};

static const struct setting audit_keys[] = {
        {"share", SHARE(audit_share)},
        {"top", INTEGER(audit_top, 1, 100)},
        END,
};

static const struct setting logprobs_keys[] = {
        {"inject", WORD(inject, INJECT),
                FLAG("inject", "WHERE",
                        "request logprobs, which clients do not get, from these backends: "
                        "both: the references, and the primary unless logprobs harm its answers; "
                        "always: all; references: the references only; off: none")},
        {"top", INTEGER(top_logprobs, 0, 100),
                FLAG("top-logprobs", "N", "request N alternatives for each token")},
        {"token_ids", BOOL(inject_token_ids)},
        {"audit", MAP(audit_keys)},
        {"share", SHARE(inject_share)},
        {"plain_share", SHARE(plain_share),
                FLAG("plain-share", "SHARE",
                        "leave this share of the requests to the primary unchanged")},
        {"max_slowdown", TYPE(max_slowdown, setting_slowdown),
                FLAG("max-slowdown", "X|off",
                        "stop requesting logprobs where they slow answers by more than this "
                        "share")},
        {"limit", BYTES(inject_limit, KIB, GIB)},
        END,
};

static const struct setting capture_keys[] = {
        {"path", TEXT(capture_path, setting_check_directory),
                FLAG("capture", "DIR",
                        "record in this directory, which plumbline creates if needed; without it, "
                        "nothing is recorded"),
                .fixed = true},
        {"max_size", BYTES(capture_max_size, 0, UINT64_MAX), .fixed = true},
        {"retain", DURATION(capture_retain), .fixed = true},
        {"when_full", WORD(capture_stop_when_full, WHEN_FULL), .fixed = true},
        {"segment_size", BYTES(segment_size, MIB, 1024 * GIB), .fixed = true},
        {"durable", BOOL(durable), .fixed = true},
        {"record", WORD(record_mirrored_only, RECORDED)},
        {"content", WORD_FROM(privacy.content, CONTENTS, CONTENT_FULL), .fixed = true},
        {"redact", TYPE(privacy, setting_redact), .fixed = true, .applies = redacts,
                .goes_with = "has no effect without content: redacted"},
        {"encoders", INTEGER(encoders, 1, 64), .fixed = true},
        {"scheduling", WORD(recorder_scheduling, SCHEDULING_NAMES), .fixed = true},
        {"queue_limit", BYTES(recorder_queue, MIB, 64 * GIB), .fixed = true},
        {"hash_key_env", TEXT(hash_key_env, setting_check_hash_key), .fixed = true},
        {"headers", TEXTS(record_headers, setting_check_header, "header names")},
        END,
};

static const struct setting log_keys[] = {
        {"level", WORD(log_level, LEVELS),
                FLAG("log-level", "LEVEL",
                        "log lines of this level and above: error, warn, info or debug")},
        {"format", WORD(log_format, FORMATS)},
        {"repeat_after", DURATION(log_repeat_after)},
        END,
};

const struct setting SETTINGS_KEYS[] = {
        {"listen", TYPE(listen, setting_listen),
                FLAG("listen", "HOST:PORT", "listen for clients on this address"), .fixed = true},
        {"admin", TYPE(admin, setting_admin),
                FLAG("admin", "HOST:PORT",
                        "serve /healthz, /readyz and /metrics on this address; without it, they "
                        "are not served"),
                .fixed = true},
        {"share_port", BOOL(share_port), .fixed = true},
        {"workers", INTEGER(workers, 1, 256), FLAG("workers", "N", "event loops"), .fixed = true},
        {"transport", WORD(by_curl, TRANSPORTS),
                FLAG("transport", "WHAT",
                        "who opens connections to backends. auto: plumbline itself for http, "
                        "libcurl for https; curl: libcurl for both")},
        {"half_close", WORD(half_close_keep, HALF_CLOSE)},
        {"drain_timeout", DURATION(drain_timeout)},
        {"clients", MAP(client_keys)},
        {"memory_limit", BYTES(memory_limit, MIB, 1024 * GIB), .fixed = true},
        {"relay_window", BYTES(relay_window, 4 * KIB, 16 * MIB)},
        {"primary", WHOLE(setting_primary)},
        {"references", WHOLE(setting_references)},
        {"mirror", MAP(mirror_keys)},
        {"opt_out", MAP(opt_out_keys)},
        {"logprobs", MAP(logprobs_keys)},
        {"capture", MAP(capture_keys), .scalar = &capture_keys[0], .applies = records},
        {"log", MAP(log_keys)},
        END,
};
