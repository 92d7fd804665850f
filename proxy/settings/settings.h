#pragma once
/*
 * settings - what the proxy was told to do: one immutable snapshot, counted, that every exchange
 * keeps.
 *
 * Flags and file mean the same things: the file is read first, flags override it. docs/proxy.md
 * lists every key.
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
/* ALWAYS: as BOTH, also where the primary's dialect says that logprobs harm. */
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
	int line;      /* of the file; 0: it says nothing of it, or a flag overrides it */
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

/* What a reference does with an exchange that is sampled for it. */
enum mirror_mode {
	MIRROR_GENERATE, /* it answers a copy of the request */
	MIRROR_SCORE,    /* it scores the primary's answer */
	MIRROR_BOTH,     /* it answers a share, and scores the rest */
};

struct score_settings {
	enum score_prompt prompt;
	uint32_t max_prompt_tokens; /* 2048 */
	double generate;            /* MIRROR_BOTH: the share that it answers; 10 % */
	bool self; /* MIRROR_BOTH: it also scores the answers that it gave itself */
};

struct stack_fact { /* what only a person knows of a backend */
	char *name, *value;
};

struct backend_settings {
	char *name;
	char *url;       /* scheme://host[:port][/base], no trailing slash, no credentials */
	char *base_path; /* "" or "/base" */
	char *url_note;  /* what was done about a /v1 at its end, or NULL */
	int url_line;    /* of the file; 0: a flag gave it */
	enum role role;
	char *ca_file;            /* NULL: the system's CAs */
	uint64_t connect_timeout; /* ns; 10 s */
	uint64_t idle_timeout;    /* ns of silence; primary 0 = none, references 600 s */
	enum on_client_gone on_client_gone;
	char *api_key_env; /* name of the variable, or NULL */
	/* Its value, read at start, or NULL; never printed. For a primary it goes with the proxy's own
	 * questions alone: clients bring theirs. */
	char *api_key;
	const struct dialect *dialect; /* NULL: as recognised */
	uint64_t poll;                 /* ns between two questions who it is; 0: never asked */
	char *replica_header; /* of its answers: names the server behind the address; or NULL */
	struct stack_fact *stack;
	size_t n_stack;
	/* References only */
	enum mirror_mode mode;
	struct score_settings score;
	struct sample sample;
	enum align align;
	enum thinking thinking;
	const struct chat_template *completions_template; /* chats go to /completions; or NULL */
	struct model_map *models;
	size_t n_models;
	struct member_setting *members; /* set and unset */
	size_t n_members;
	unsigned max_concurrency; /* 64 */
	bool has_max_concurrency; /* the configuration says it */
	size_t queue_limit;       /* bytes of copies that wait; 32 MiB */
	size_t answer_limit;      /* bytes of an answer; 64 MiB */
	uint64_t total_timeout;   /* ns for a whole copy; 1 h */
};

struct client_limits {          /* times in ns; 0: no limit */
	unsigned limit;         /* connections at once, of the whole process */
	uint64_t head_timeout;  /* from a head's first byte to its last */
	uint64_t body_timeout;  /* of silence within a request's body */
	uint64_t idle_timeout;  /* between requests, or before the first */
	uint64_t stall_timeout; /* in which a client takes nothing of what waits for it */
};

struct privacy_settings { /* how much of what passes is kept */
	enum content content;
	unsigned secrets; /* bits of enum secret */
	size_t n_patterns,
	        n_members; /* what they are, the policy alone knows: they tell of secrets */
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
	bool half_close_keep;   /* a client's FIN does not mean it has gone */
	uint64_t drain_timeout; /* ns; 30 s */
	struct client_limits clients;
	uint64_t memory_limit; /* 256 MiB */
	uint64_t relay_window; /* bytes held a direction of an exchange; 64 KiB */
	struct backend_settings primary;
	struct backend_settings *references;
	size_t n_references;
	struct texts mirror_routes;  /* further ones whose POSTs are mirrored, by path suffix */
	struct texts opt_out_models; /* neither recorded nor copied; x*: all that begin so */
	/* Injection */
	enum inject_where inject;
	int top_logprobs;    /* 5 */
	double inject_share; /* of the exchanges, by hash */
	double max_slowdown; /* by which answers may take longer; 0.1; below 0: any */
	double plain_share; /* of these, that stay without: 1 %; 0: none, once an answer is known */
	size_t inject_limit; /* bytes of a request or unary answer held; 8 MiB */
	/* Capture; path NULL: nothing is recorded */
	char *capture_path;
	uint64_t capture_max_size;   /* 0: none; 20 GiB */
	bool capture_stop_when_full; /* else the oldest segments are deleted */
	uint64_t capture_retain;     /* ns; 0: as long as there is room */
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

/* What the command line may say, for struct settings; settings_load() reads it. */
extern const struct option_row SETTINGS_OPTIONS[];

/* What settings were read from, and are read from again. */
struct settings_source {
	const char *file; /* or NULL */
	const struct option_value *flags;
	size_t n_flags;
};

/*
 * Reads FILE (may be NULL) and then the flags, in order ("reference" and "candidate" may come
 * several times). NULL and one sentence (*ret_error, the caller frees it; FILE:LINE first where
 * there is one) on any problem.
 */
struct settings *settings_load(
        const char *file, const struct option_value *flags, size_t n_flags, char **ret_error);
/*
 * Settings that can't change while the proxy runs keep their value in force (now). Appends the keys of
 * those that would have changed to *ret_kept, with commas.
 */
void settings_keep(struct settings *s, const struct settings *now, struct buf *ret_kept);
/* Level and format of the log are in force. */
void settings_apply_log(const struct settings *s);
struct settings *settings_ref(struct settings *s);
void settings_unref(struct settings *s);
/* Two texts of settings, either of which may be absent. */
bool settings_same_text(const char *a, const char *b);
/* JSON of everything, without secrets: for --check-config and the capture's meta. The caller frees
 * it. */
char *settings_json(const struct settings *s);
