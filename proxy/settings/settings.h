#pragma once
/*
 * settings - the proxy's configuration: one immutable, reference-counted struct. Each exchange
 * keeps the settings with which it began.
 *
 * The file is read first; flags override it. docs/proxy.md describes every key; keys.c
 * has a row for each. Times are in ns.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/align.h"
#include "backends/copy_body.h"
#include "backends/dialects/dialect.h"
#include "backends/scoring/scorer.h"
#include "backends/templates.h"
#include "base/check.h"
#include "base/options.h"
#include "capture/recorder/priority.h"
#include "capture/record.h"
#include "capture/privacy/redact.h"

#define SETTINGS_REFERENCES_LIMIT 8
#define SETTINGS_KEYS_LIMIT 8

/* What happens to a backend's request when the client leaves. */
enum on_client_gone { GONE_CANCEL, GONE_FINISH };
/* Which requests get added members that ask for logprobs. INJECT_ALWAYS: as INJECT_BOTH, even if
 * the primary's dialect says that logprobs do harm. */
enum inject_where { INJECT_BOTH, INJECT_REFERENCES, INJECT_OFF, INJECT_ALWAYS };

/* LOG_FORMAT_AUTO: text on a terminal, else JSON. */
enum log_format { LOG_FORMAT_AUTO, LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

struct texts {
	char **items;
	size_t n;
};

struct address {    /* of a listener */
	char *text; /* as given: HOST:PORT, [V6]:PORT or :PORT */
	char *host;
	uint16_t port; /* 0: any free port; the proxy prints it at its start */
	int line;      /* line of the file; 0: given by a flag, or the default */
};

struct session_key {
	bool body; /* `body:MEMBER`; false: `header:NAME` */
	char *name;
};

struct sample {
	double share;     /* 0 to 1 */
	double max_rate;  /* copies a second in the whole process; 0: no limit */
	bool by_exchange; /* decide for each exchange; false: for each session */
	char *salt;
	/* where a request names its session: the first key that is present counts; if none is,
	 * plumbline recognises the session by the messages */
	struct session_key keys[SETTINGS_KEYS_LIMIT];
	size_t n_keys;
};

/* What a reference does with an exchange that was sampled for it. */
enum mirror_mode {
	MIRROR_GENERATE, /* the reference answers a copy of the request */
	MIRROR_SCORE,    /* the reference scores the primary's answer */
	MIRROR_BOTH,     /* the reference answers a share, and scores the other answers */
};

struct score_settings {
	enum score_prompt prompt;
	uint32_t max_prompt_tokens; /* default 2048 */
	double generate; /* MIRROR_BOTH: the share that the reference answers; default 0.1 */
	/* For a reference with MIRROR_BOTH: it also scores its own answers. For the primary: it
	 * scores a few of its own answers. */
	bool self;
};

struct stack_fact { /* a fact about a backend, as configured */
	char *name, *value;
};

struct backend_settings {
	char *name;
	char *url;       /* scheme://host[:port][/base], no trailing slash, no credentials */
	char *base_path; /* "" or "/base" */
	char *url_note;  /* a sentence: a /v1 at the URL's end was removed; or NULL */
	int url_line;    /* line of the file; 0: given by a flag */
	enum role role;
	/* This reference is the primary itself, for primary.self. The settings add it as the
	 * last reference. */
	bool of_primary;
	char *ca_file;            /* NULL: the system's CAs */
	uint64_t connect_timeout; /* ns; default 10 s */
	/* ns; the longest silence; 0: no limit; default: 0 for the primary, 600 s for references */
	uint64_t idle_timeout;
	enum on_client_gone on_client_gone;
	char *api_key_env; /* name of the environment variable with the key; or NULL */
	/* The API key, or NULL; never printed. The primary gets it only in plumbline's own
	 * requests, because clients send keys of their own. */
	char *api_key;
	const struct dialect *dialect; /* NULL: plumbline recognises the engine */
	/* ns between two times that engine_watch asks which engine it is; 0: never */
	uint64_t poll;
	/* header field of answers that names the server behind a balancer; or NULL */
	char *replica_header;
	struct stack_fact *stack;
	size_t n_stack;
	/* References only */
	enum mirror_mode mode;
	struct score_settings score;
	struct sample sample;
	struct copy_rules rules;  /* how requests are converted; owns its lists */
	unsigned max_concurrency; /* default 64 */
	bool has_max_concurrency; /* the file has max_concurrency */
	/* The most bytes of waiting copies and answers; default 32 MiB. The largest one of all
	 * references also limits the bodies that are kept for copies (exchange.c, keep_limit()). */
	size_t queue_limit;
	size_t answer_limit;    /* the most bytes of an answer, copied or scored; default 64 MiB */
	uint64_t total_timeout; /* ns for a whole copy; default 1 h */
};

struct client_limits {          /* all times in ns; 0: no limit */
	unsigned limit;         /* the most connections at one time, in the whole process */
	uint64_t head_timeout;  /* from a head's first byte to its last */
	uint64_t body_timeout;  /* silence within a request's body */
	uint64_t idle_timeout;  /* between requests, or before the first */
	uint64_t stall_timeout; /* while a client reads none of the bytes that are queued for it */
};

struct privacy_settings { /* what the recorder stores of prompts and answers */
	enum content content;
	unsigned secrets; /* bits of enum secret */
	/* numbers of the user's patterns and members; only `policy` has their texts, which may
	 * reveal secrets */
	size_t n_patterns, n_members;
	struct redact_policy *policy; /* NULL for full content */
	/* the texts of patterns and members, for comparison at a reload; never printed */
	char *source;
};

struct settings {
	atomic_uint refs;
	struct address listen;
	struct address admin;   /* host NULL: no admin listener */
	bool share_port;        /* share the port with other processes, by SO_REUSEPORT */
	unsigned workers;       /* default 1 */
	bool by_curl;           /* libcurl opens all connections to backends, plain http included */
	bool half_close_keep;   /* a client that sends FIN still reads its answer */
	uint64_t drain_timeout; /* ns; default 30 s */
	struct client_limits clients;
	uint64_t memory_limit; /* bytes; default 256 MiB */
	uint64_t relay_window; /* bytes queued per direction of an exchange; default 64 KiB */
	struct backend_settings primary;
	struct backend_settings *references;
	size_t n_references;
	/* ends of the paths of further POST requests that are copied */
	struct texts mirror_routes;
	/* models whose requests are neither recorded nor copied; "x*": all whose names begin
	 * with x */
	struct texts opt_out_models;
	/* Injection */
	enum inject_where inject;
	int top_logprobs; /* alternatives per token; default ASKING_TOP_DEFAULT */
	/* request token ids together with logprobs, if the primary's dialect has a way; default
	 * true */
	bool inject_token_ids;
	/* share of the exchanges, drawn by a hash, that get audit_top alternatives; default 0 */
	double audit_share;
	int audit_top;       /* default 20 */
	double inject_share; /* share of the exchanges, drawn by a hash, that get added members */
	/* how much longer answers with added members may take: 0.1 is 10 %; below 0: no limit;
	 * default 0.1 */
	double max_slowdown;
	/* share of the exchanges within inject_share that get no added members, for comparison;
	 * default 0.01 */
	double plain_share;
	/* the most bytes of a request, or of an answer that is no stream, that are held; default
	 * 8 MiB */
	size_t inject_limit;
	/* Capture; path NULL: nothing is recorded */
	char *capture_path;
	uint64_t capture_max_size;   /* bytes; 0: no limit; default 20 GiB */
	bool capture_stop_when_full; /* false: the oldest segments are deleted */
	uint64_t capture_retain;     /* ns; 0: no limit */
	uint64_t segment_size;       /* bytes; default SEGMENT_SIZE */
	bool durable;
	bool record_mirrored_only;
	struct privacy_settings privacy;
	unsigned encoders;                   /* default 1 */
	enum scheduling recorder_scheduling; /* default auto */
	size_t recorder_queue;               /* bytes; default 64 MiB */
	/* name of the environment variable with 64 hex digits, which a fleet shares; or NULL */
	char *hash_key_env;
	struct texts record_headers; /* names of further headers that are recorded */
	/* Log */
	enum log_format log_format;
	int log_level;             /* enum log_level */
	uint64_t log_repeat_after; /* ns */
};

struct buf;

/* Rows of the options whose values settings_load() gets. */
const struct option_row *settings_options(void);

/* Where settings come from; a reload reads both again. */
struct settings_source {
	const char *file; /* or NULL */
	const struct option_value *flags;
	size_t n_flags;
};

/* Reads file (may be NULL), then the flags in their order. NULL: *ret_error is a sentence that the
 * caller frees, with FILE:LINE in front if it is about a line. */
struct settings *settings_load(
        const char *file, const struct option_value *flags, size_t n_flags, char **ret_error);
/* Sets the settings that can't change while the proxy runs to their values in `now`. Appends the
 * keys of those that differed to *ret_kept, separated by commas. */
void settings_keep(struct settings *s, const struct settings *now, struct buf *ret_kept);
/* Puts the level and format of the log in force. */
void settings_apply_log(const struct settings *s);
struct settings *settings_ref(struct settings *s);
void settings_unref(struct settings *s);
/* All settings as JSON, under the keys of the file, without secrets; the caller frees it. For
 * --check-config and for the capture's meta. */
char *settings_json(const struct settings *s);
