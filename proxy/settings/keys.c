/* A key that is absent keeps its default: settings.c, create(). */
#include "proxy/settings/keys.h"

#include "base/log.h"
#include "proxy/settings/backends.h"
#include "proxy/settings/key_macros.h"
#include "proxy/settings/types.h"

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
        {"inject", WORD(inject, INJECT), .flag = "inject"},
        {"top", INTEGER(top_logprobs, 0, 100), .flag = "top-logprobs"},
        {"token_ids", BOOL(inject_token_ids)},
        {"audit", MAP(audit_keys)},
        {"share", SHARE(inject_share)},
        {"plain_share", SHARE(plain_share), .flag = "plain-share"},
        {"max_slowdown", TYPE(max_slowdown, setting_slowdown), .flag = "max-slowdown"},
        {"limit", BYTES(inject_limit, KIB, GIB)},
        END,
};

static const struct setting capture_keys[] = {
        {"path", TEXT(capture_path, setting_check_directory), .flag = "capture", .fixed = true},
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
        {"level", WORD(log_level, LEVELS), .flag = "log-level"},
        {"format", WORD(log_format, FORMATS)},
        {"repeat_after", DURATION(log_repeat_after)},
        END,
};

const struct setting SETTINGS_KEYS[] = {
        {"listen", TYPE(listen, setting_listen), .flag = "listen", .fixed = true},
        {"admin", TYPE(admin, setting_admin), .flag = "admin", .fixed = true},
        {"share_port", BOOL(share_port), .fixed = true},
        {"workers", INTEGER(workers, 1, 256), .flag = "workers", .fixed = true},
        {"transport", WORD(by_curl, TRANSPORTS), .flag = "transport"},
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
