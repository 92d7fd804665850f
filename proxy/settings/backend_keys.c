/* A key that is absent keeps its default: backends.c, defaults_of(). */
#include "proxy/settings/backend_keys.h"

#include "proxy/settings/key_macros.h"
#include "proxy/settings/types.h"

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
