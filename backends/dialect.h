#pragma once
/*
 * dialect - what is known of one kind of engine: how to recognise it, its names for parameters, its
 * defaults, where it describes itself, how it scores a given text.
 *
 * One constant a file in backends/dialects/, listed in dialects/dialects.c; docs/backends.md shows
 * how to add one. It is all data: code reads its members and never asks which engine it is. It says
 * what is believed; the probe (backends/probe/probe.h) sees what a server really does.
 *
 * Lists end with a zero element (name or path NULL). Everything is constant: any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/injection/edits.h"
#include "answers/request.h"

/* The weight of one sign, of 100. The signs of an engine are added, up to 100. */
#define SIGN_CERTAIN 100
#define SIGN_STRONG 60
#define SIGN_WEAK 20

enum sign_kind {
	SIGN_END,
	SIGN_MEMBER, /* the JSON answer has the member, equal to value if there is one */
	SIGN_STARTS, /* the member is a string that begins with value */
	SIGN_HEADER, /* the answer has the header field `member`, which begins with value */
	/* as SIGN_HEADER, but only in a 2xx answer that has no content, or JSON: the field comes
	 * from a library that other servers use too */
	SIGN_SERVED,
	SIGN_TEXT,    /* the body contains value */
	SIGN_ANSWERS, /* the path answers 200 */
	SIGN_ABSENT,  /* the JSON answer lacks this member, but has others */
};

/* What a GET's answer shows of an engine. */
struct sign {
	enum sign_kind kind;
	int weight;
	const char *path;   /* "/version" */
	const char *member; /* dotted, numbers for elements: "data.0.owned_by" */
	const char *value;
};

/*
 * A fact of the manifest and where the engine states it. Names of facts are those of manifest.h. If
 * a fact has several sources, the first that has it counts.
 */
struct fact_source {
	const char *fact;
	const char *path; /* as in struct sign */
	const char
	        *body; /* POSTed JSON in which "$MODEL" stands for the model's name; NULL: a GET */
	const char *member; /* dotted; "" the whole body; NULL: see metric */
	const char *metric; /* Prometheus text: "name{label}" gives the label's value */
};

/* Sampling parameters; NaN: unknown, or off where it has that meaning. */
struct sampling {
	double temperature, top_p, top_k, min_p;
	double repetition_penalty, presence_penalty, frequency_penalty;
};

enum ability { /* what the engine is believed to support */
	ABILITY_CHAT_LOGPROBS = 1 << 0,
	ABILITY_CHAT_STREAM_LOGPROBS = 1 << 1,
	ABILITY_COMPLETION_LOGPROBS = 1 << 2,
	ABILITY_COMPLETION_STREAM_LOGPROBS = 1 << 3,
	ABILITY_TOOLS_STREAM_LOGPROBS = 1 << 4, /* accepts logprobs with tools in a stream */
	ABILITY_STREAM_USAGE = 1 << 5,          /* stream_options.include_usage */
	ABILITY_ID_PROMPT = 1 << 6,             /* prompts may be token ids */
	ABILITY_N = 1 << 7,
	ABILITY_SEED = 1 << 8,
	ABILITY_KEEPALIVE = 1 << 9, /* connections can be reused */
	/* A second request may break a running answer (llama-cpp-python): one at a time. */
	ABILITY_ONE_AT_A_TIME = 1 << 10,
	ABILITY_TOOLS_LOGPROBS = 1 << 11, /* accepts logprobs with tools in a unary answer */
};

/* How the engine can be made to score a given text (teacher forcing). */
enum scoring {
	SCORING_NONE,
	SCORING_PROMPT_LOGPROBS, /* vLLM: prompt_logprobs on /v1/completions, ids or text */
	SCORING_ECHO,            /* echo and logprobs on /v1/completions */
	SCORING_SGLANG,          /* /generate with logprob_start_len */
	SCORING_TGI,             /* /generate with decoder_input_details */
};

/* How the engine converts text or messages to ids; NULL members: it does not. */
struct tokenizing {
	const char *tokenize;        /* path, POST */
	const char *text_member;     /* member of the request: "prompt", "content", "input" */
	const char *ids_member;      /* member of the answer, dotted */
	const char *messages_member; /* the same path takes messages: "messages" */
	const char *template_path;   /* apply-template: messages to text */
	const char *template_member; /* member of its answer */
};

struct rename {
	const char *from, *to;
};

/*
 * A range of numbers, low to high inclusive, that the engine refuses or interprets differently.
 * json is sent instead; NULL: the member is removed.
 */
struct rule {
	const char *name;
	double low, high;
	const char *json;
	bool loses; /* the change loses something that the client requested */
};

/* Models of this engine with further restrictions. */
struct strict_models {
	const char *const *prefixes; /* of the model's name after its last slash */
	const char *const *refused;  /* members */
	const struct rename *renames;
};

/* What the logprobs of an engine's answers are of. */
enum logprobs_basis {
	LOGPROBS_UNKNOWN,
	LOGPROBS_RAW,               /* the model's own distribution */
	LOGPROBS_AFTER_TEMPERATURE, /* before top_k, top_p and min_p */
	LOGPROBS_PROCESSED,         /* after temperature, penalties and filters */
	LOGPROBS_RAW_BY_DEFAULT,    /* a flag of the server changes it */
	N_LOGPROBS_BASES,
};
const char *logprobs_basis_name(enum logprobs_basis b); /* "after_temperature" */

struct dialect {
	const char *name;  /* in configurations and captures: "vllm" */
	const char *title; /* "vLLM" */
	const struct sign *signs;
	/* The beginning of system_fingerprint that only this engine's answers have; or NULL. */
	const char *fingerprint;
	/* The tag that a model's name without one has: "m" is "m:latest" (Ollama); or NULL. */
	const char *default_tag;
	/* a gateway: its answers also have signs of other engines */
	bool relays;
	const char *version_path, *version_member; /* NULL: it does not state it */
	const struct fact_source *facts;
	unsigned abilities;     /* enum ability */
	int max_top;            /* alternatives a token; -1: no limit, 0: none or unknown */
	int max_top_completion; /* on /v1/completions, where that differs; 0: as max_top */

	/* How to request logprobs: added to, or instead of, logprobs and top_logprobs. "$TOP" is
	 * replaced by the number. NULL: as OpenAI. */
	const struct member_edit *ask_chat, *ask_completion;
	/* Added with logprobs, for token ids; in streams of chat ask_ids_stream instead, unless
	 * that is NULL (an empty list adds nothing). */
	const struct member_edit *ask_ids, *ask_ids_stream;
	/* ask_ids and ask_ids_stream only add token_ids and prompt_token_ids to the answer. A
	 * cut can remove these, so a primary is asked for ids too. False: only copies are. */
	bool ids_are_cut;
	/* Used instead of ask_chat in copies with tools, if the engine lacks
	 * ABILITY_TOOLS_LOGPROBS or ABILITY_TOOLS_STREAM_LOGPROBS. */
	const struct member_edit *ask_tools;

	/*
	 * The greedy request without penalties: members set, or (json NULL) removed. Nothing else
	 * may be sent to a strict engine.
	 */
	const struct member_edit *greedy_chat, *greedy_completion;
	/* Members that a strict engine accepts; all others are removed from copies. NULL: any. */
	const char *const *allowed_chat, *const *allowed_completion;
	const struct rename *renames;                       /* applied before allowed_* */
	const struct rule *rules;                           /* after renaming */
	bool refuses_null;                                  /* a member that is null is an error */
	const struct strict_models *strict_models;          /* NULL: none */
	struct sampling defaults_chat, defaults_completion; /* for unset members */
	/* The value that switches each parameter off (for temperature: the value that leaves the
	 * model's own distribution). NaN: no such value can be sent, so the default is always in
	 * force. */
	struct sampling off;
	const char *repetition_name; /* "repetition_penalty", "repeat_penalty"; NULL: none */
	/* The limit of tokens if the request has none; -1: up to the end of the context, 0:
	 * unknown. */
	int64_t default_max_tokens, default_max_tokens_chat; /* completions; chat */
	/* Members that switch reasoning on or off; NULL: impossible. */
	const struct member_edit *thinking_on, *thinking_off;

	/* The request's member that controls the prefix cache. cold: its value to avoid the
	 * cache; NULL: a unique text, the same for requests that may share an entry. warm: its
	 * value to use the cache; NULL: the member is not set. member NULL: there is no such
	 * member. */
	struct caching {
		const char *member, *cold, *warm;
	} caching;
	/* How a request for logprobs harms the answer: "it takes ...". Such a primary is not
	 * asked for logprobs unless the configuration insists. NULL: no harm. */
	const char *logprobs_harm;
	enum scoring scoring;
	struct tokenizing tokenizing;
	/* llama-cpp-python: see the section on echo in docs/backends.md */
	bool echo_shifts_without_bos;
	enum logprobs_basis basis;
	/* Warnings that the probe and the documentation show; one sentence each, ended by NULL. */
	const char *const *cautions;
};

/* All dialects, generic last; *ret_n of them. */
const struct dialect *const *dialects(size_t *ret_n);
/* By name, or NULL. */
const struct dialect *dialect_find(const char *name);
extern const struct dialect dialect_generic;
