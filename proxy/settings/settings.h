#pragma once
/*
 * settings - what the proxy was told to do: one immutable, counted snapshot, which every exchange
 * keeps.
 *
 * The file is read first, flags override it. docs/proxy.md describes every key, keys.c has a row
 * for each. Times are in ns.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/align.h"
#include "backends/copy_body.h"
#include "backends/dialect.h"
#include "backends/scoring/scorer.h"
#include "backends/templates.h"
#include "base/check.h"
#include "base/options.h"
#include "capture/priority.h"
#include "capture/record.h"
#include "capture/privacy/redact.h"

#define SETTINGS_REFERENCES_LIMIT 8
#define SETTINGS_KEYS_LIMIT 8

enum on_client_gone { GONE_CANCEL, GONE_FINISH };
/* ALWAYS: as BOTH, even if the primary's dialect says that logprobs do harm. */
enum inject_where { INJECT_BOTH, INJECT_REFERENCES, INJECT_OFF, INJECT_ALWAYS };

/* AUTO: text on a terminal, else JSON. */
enum log_format { LOG_FORMAT_AUTO, LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

struct texts {
	char **items;
	size_t n;
};

struct address {    /* of a listener */
	char *text; /* as given: HOST:PORT, [V6]:PORT or :PORT */
	char *host;
	uint16_t port; /* 0: any free one, printed at start */
	int line;      /* of the file; 0: of a flag, or the default */
};

struct session_key {
	bool body; /* body:MEMBER, else header:NAME */
	char *name;
};

struct sample {
	double share;     /* 0..1 */
	double max_rate;  /* copies a second, process-wide; 0: no limit */
	bool by_exchange; /* else by session */
	char *salt;
	struct session_key keys[SETTINGS_KEYS_LIMIT]; /* the first that is present; else the chain
	                                                 of the messages */
	size_t n_keys;
};

/* What a reference does with an exchange that was sampled for it. */
enum mirror_mode {
	MIRROR_GENERATE, /* it answers a copy of the request */
	MIRROR_SCORE,    /* it scores the primary's answer */
	MIRROR_BOTH,     /* it answers a share, and scores the rest */
};

struct score_settings {
	enum score_prompt prompt;
	uint32_t max_prompt_tokens; /* 2048 */
	double generate;            /* MIRROR_BOTH: the share that it answers; 10 % */
	/* MIRROR_BOTH: it also scores its own answers. Of the primary: it scores a few of its own. */
	bool self;
};

struct stack_fact { /* what the operator says about a backend */
	char *name, *value;
};

struct backend_settings {
	char *name;
	char *url;       /* scheme://host[:port][/base], no trailing slash, no credentials */
	char *base_path; /* "" or "/base" */
	char *url_note;  /* sentence: a /v1 at its end was dropped; or NULL */
	int url_line;    /* of the file; 0: a flag gave it */
	enum role role;
	/* A reference that is the primary, for primary.self: the last one, made by the settings. */
	bool of_primary;
	char *ca_file;            /* NULL: the system's CAs */
	uint64_t connect_timeout; /* ns; 10 s */
	uint64_t idle_timeout;    /* ns of silence; primary 0 = none, references 600 s */
	enum on_client_gone on_client_gone;
	char *api_key_env; /* name of the variable, or NULL */
	/* Its value, or NULL; never printed. To a primary it is sent only with the proxy's own
	 * questions: clients bring their keys. */
	char *api_key;
	const struct dialect *dialect; /* NULL: recognise it */
	uint64_t poll;                 /* ns between questions who it is; 0: never */
	char *replica_header;          /* of answers: names the server behind a balancer; or NULL */
	struct stack_fact *stack;
	size_t n_stack;
	/* References only */
	enum mirror_mode mode;
	struct score_settings score;
	struct sample sample;
	enum align align;
	enum thinking thinking;
	const struct chat_template *completions_template; /* sends chats to /completions; or NULL */
	struct model_map *models;
	size_t n_models;
	struct member_setting *members; /* set and unset */
	size_t n_members;
	unsigned max_concurrency; /* 64 */
	bool has_max_concurrency; /* the file has it */
	size_t queue_limit;       /* bytes of copies that wait; 32 MiB */
	size_t answer_limit;      /* bytes of an answer; 64 MiB */
	uint64_t total_timeout;   /* ns for a whole copy; 1 h */
};

struct client_limits {          /* times: 0: no limit */
	unsigned limit;         /* connections at once, of the whole process */
	uint64_t head_timeout;  /* from a head's first byte to its last */
	uint64_t body_timeout;  /* of silence within a request's body */
	uint64_t idle_timeout;  /* between requests, or before the first */
	uint64_t stall_timeout; /* while a client takes nothing of what is queued for it */
};

struct privacy_settings { /* what is recorded of contents */
	enum content content;
	unsigned secrets;             /* bits of enum secret */
	size_t n_patterns, n_members; /* only the policy has them: they may tell of secrets */
	struct redact_policy *policy; /* NULL for full content */
	char *source; /* patterns and members as the file has them, to compare; never printed */
};

struct settings {
	atomic_uint refs;
	struct address listen;
	struct address admin;   /* host NULL: none */
	bool share_port;        /* with other processes, by SO_REUSEPORT */
	unsigned workers;       /* 1 */
	bool by_curl;           /* libcurl speaks to all backends, plain http included */
	bool half_close_keep;   /* a client that sends FIN still reads its answer */
	uint64_t drain_timeout; /* ns; 30 s */
	struct client_limits clients;
	uint64_t memory_limit; /* 256 MiB */
	uint64_t relay_window; /* bytes queued per direction of an exchange; 64 KiB */
	struct backend_settings primary;
	struct backend_settings *references;
	size_t n_references;
	struct texts mirror_routes;  /* further ones whose POSTs are mirrored, by path suffix */
	struct texts opt_out_models; /* neither recorded nor copied; x*: all that begin so */
	/* Injection */
	enum inject_where inject;
	int top_logprobs;      /* 5 */
	bool inject_token_ids; /* with logprobs, if the primary's dialect has words for them; true */
	double audit_share;    /* of the exchanges, by hash, that get audit_top alternatives; 0 */
	int audit_top;         /* 20 */
	double inject_share;   /* of the exchanges, by hash */
	double max_slowdown;   /* answers may take longer by this share; 0.1; below 0: no limit */
	double plain_share;    /* of these, the share that is not injected; 1 % */
	size_t inject_limit;   /* bytes of a request or unary answer held; 8 MiB */
	/* Capture; path NULL: nothing is recorded */
	char *capture_path;
	uint64_t capture_max_size;   /* 0: none; 20 GiB */
	bool capture_stop_when_full; /* else the oldest segments are deleted */
	uint64_t capture_retain;     /* ns; 0: no limit */
	uint64_t segment_size;       /* 1 GiB */
	bool durable;
	bool record_mirrored_only;
	struct privacy_settings privacy;
	unsigned encoders;                   /* 1 */
	enum scheduling recorder_scheduling; /* auto */
	size_t recorder_queue;               /* 64 MiB */
	char *hash_key_env;                  /* variable with 64 hex digits, for a fleet; NULL */
	struct texts record_headers;         /* names of further headers that are recorded */
	/* Log */
	enum log_format log_format;
	int log_level; /* enum log_level */
};

struct buf;

/* Options of the command line, kept for settings_load(). */
extern const struct option_row SETTINGS_OPTIONS[];

/* Where settings come from; a reload reads it again. */
struct settings_source {
	const char *file; /* or NULL */
	const struct option_value *flags;
	size_t n_flags;
};

/*
 * Reads FILE (may be NULL), then the flags in order. NULL: *ret_error is a sentence, with
 * FILE:LINE in front where it applies; the caller frees it.
 */
struct settings *settings_load(
        const char *file, const struct option_value *flags, size_t n_flags, char **ret_error);
/*
 * Settings that can't change while the proxy runs keep their value in force (now). Appends the
 * keys of those that would have changed to *ret_kept, with commas.
 */
void settings_keep(struct settings *s, const struct settings *now, struct buf *ret_kept);
/* Level and format of the log are in force. */
void settings_apply_log(const struct settings *s);
struct settings *settings_ref(struct settings *s);
void settings_unref(struct settings *s);
/* Both NULL, or equal. */
bool settings_same_text(const char *a, const char *b);
/* Everything as JSON by the file's keys, without secrets; the caller frees it. For --check-config
 * and for the capture's meta. */
char *settings_json(const struct settings *s);
