#pragma once
/*
 * settings - what the proxy was told to do: one immutable, reference-counted snapshot. Every
 * exchange keeps the snapshot with which it began.
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
	int line;      /* line of the file; 0: given by a flag, or the default */
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
	/* For a reference with MIRROR_BOTH: it also scores its own answers. For the primary: it
	 * scores a few of its own answers. */
	bool self;
};

struct stack_fact { /* what the operator says about a backend */
	char *name, *value;
};

struct backend_settings {
	char *name;
	char *url;       /* scheme://host[:port][/base], no trailing slash, no credentials */
	char *base_path; /* "" or "/base" */
	char *url_note;  /* a sentence that says that a /v1 at the URL's end was dropped; or NULL */
	int url_line;    /* line of the file; 0: given by a flag */
	enum role role;
	/* This reference is the primary itself, for primary.self. The settings create it, as the
	 * last reference. */
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
	uint64_t poll;                 /* ns between two requests for its identity; 0: never */
	/* header field of answers that names the server behind a balancer; or NULL */
	char *replica_header;
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
	size_t queue_limit;       /* the most bytes of waiting copies; 32 MiB */
	size_t answer_limit;      /* bytes of an answer; 64 MiB */
	uint64_t total_timeout;   /* ns for a whole copy; 1 h */
};

struct client_limits {          /* times: 0: no limit */
	unsigned limit;         /* connections at once, of the whole process */
	uint64_t head_timeout;  /* from a head's first byte to its last */
	uint64_t body_timeout;  /* of silence within a request's body */
	uint64_t idle_timeout;  /* between requests, or before the first */
	uint64_t stall_timeout; /* while a client reads none of the bytes that are queued for it */
};

struct privacy_settings { /* what is recorded of contents */
	enum content content;
	unsigned secrets; /* bits of enum secret */
	/* only the policy has their texts, which may reveal secrets */
	size_t n_patterns, n_members;
	struct redact_policy *policy; /* NULL for full content */
	/* patterns and members as written in the file, for comparison at a reload; never printed */
	char *source;
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
	/* path suffixes of further routes whose POST requests are mirrored */
	struct texts mirror_routes;
	/* models that are neither recorded nor copied; "x*": all whose names begin with x */
	struct texts opt_out_models;
	/* Injection */
	enum inject_where inject;
	int top_logprobs; /* alternatives per token; ASKING_TOP_DEFAULT */
	/* requests token ids together with logprobs, if the primary's dialect can request them;
	 * true */
	bool inject_token_ids;
	double audit_share;  /* of the exchanges, by hash, that get audit_top alternatives; 0 */
	int audit_top;       /* 20 */
	double inject_share; /* of the exchanges, by hash */
	double max_slowdown; /* answers may take longer by this share; 0.1; below 0: no limit */
	/* of the exchanges of inject_share, the share that is left without injection; 1 % */
	double plain_share;
	size_t inject_limit; /* bytes of a request or unary answer held; 8 MiB */
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
	int log_level;             /* enum log_level */
	uint64_t log_repeat_after; /* ns */
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
 * Settings that can't change while the proxy runs keep the value that is in force (in `now`). The
 * keys of those that would have changed are appended to *ret_kept, separated by commas.
 */
void settings_keep(struct settings *s, const struct settings *now, struct buf *ret_kept);
/* Puts the level and format of the log in force. */
void settings_apply_log(const struct settings *s);
struct settings *settings_ref(struct settings *s);
void settings_unref(struct settings *s);
/* True if both are NULL, or both are equal texts. */
bool settings_same_text(const char *a, const char *b);
/* All settings as JSON, under the keys of the file, without secrets; the caller frees it. For
 * --check-config and for the capture's meta. */
char *settings_json(const struct settings *s);
