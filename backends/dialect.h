#pragma once
/*
 * dialect - what is known of one kind of engine: how it is recognised, in which words it is asked,
 * what it does unasked, where it tells of itself, how it scores a given text.
 *
 * One constant a file in backends/dialects/, listed in dialects/dialects.c; docs/backends.md shows
 * how to add one. Data throughout: whoever needs a dialect reads its members, and nobody asks which
 * engine it is. What stands here is belief; the probe (probe.h) sees what a server really does.
 *
 * Lists end with a zero element (name or path NULL). All of it is constant: any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/injection/edits.h"
#include "answers/request.h"

/* How sure one sign makes us, of 100; signs of an engine add up, to 100 at most. */
#define SIGN_CERTAIN 100
#define SIGN_STRONG 60
#define SIGN_WEAK 20

enum sign_kind {
	SIGN_END,
	SIGN_MEMBER, /* the JSON answer has the member, equal to value if there is one */
	SIGN_STARTS, /* the member is a string that begins with value */
	SIGN_HEADER, /* the answer has the header field `member`, which begins with value */
	SIGN_SERVED, /* the same, of an answer of 2xx without other than JSON in it: the field is of a library that others use, too */
	SIGN_TEXT,   /* the body contains value */
	SIGN_ANSWERS, /* the path answers 200 */
	SIGN_ABSENT,  /* the JSON answer has not this member (of something else that it has) */
};

/* One GET's answer that tells an engine. */
struct sign {
	enum sign_kind kind;
	int weight;
	const char *path;   /* "/version" */
	const char *member; /* dotted, numbers for elements: "data.0.owned_by" */
	const char *value;
};

/*
 * A fact of the manifest and where the engine tells it. Facts' names are manifest.h's. Several
 * sources of one fact: the first that has it.
 */
struct fact_source {
	const char *fact;
	const char *path; /* as in struct sign */
	const char
	        *body; /* POSTed JSON in which "$MODEL" stands for the model's name; NULL: a GET */
	const char *member; /* dotted; "" the whole body; NULL: see metric */
	const char *metric; /* Prometheus text: "name{label}" gives the label's value */
};

/* Sampling parameters; NaN: unknown, or off where that is what it means. */
struct sampling {
	double temperature, top_p, top_k, min_p;
	double repetition_penalty, presence_penalty, frequency_penalty;
};

enum ability { /* what the engine is believed to honour */
	ABILITY_CHAT_LOGPROBS = 1 << 0,
	ABILITY_CHAT_STREAM_LOGPROBS = 1 << 1,
	ABILITY_COMPLETION_LOGPROBS = 1 << 2,
	ABILITY_COMPLETION_STREAM_LOGPROBS = 1 << 3,
	ABILITY_TOOLS_STREAM_LOGPROBS = 1
	                                << 4, /* logprobs with tools in a stream are not refused */
	ABILITY_STREAM_USAGE = 1 << 5,        /* stream_options.include_usage */
	ABILITY_ID_PROMPT = 1 << 6,           /* prompts as token ids */
	ABILITY_N = 1 << 7,
	ABILITY_SEED = 1 << 8,
	ABILITY_KEEPALIVE = 1 << 9, /* connections may be used again */
	/* A second request may break a running answer (llama-cpp-python): one at a time. */
	ABILITY_ONE_AT_A_TIME = 1 << 10,
	ABILITY_TOOLS_LOGPROBS = 1 << 11, /* nor in a unary answer */
};

/* How the engine can be made to score a given text (teacher forcing). */
enum scoring {
	SCORING_NONE,
	SCORING_PROMPT_LOGPROBS, /* vLLM: prompt_logprobs on /v1/completions, ids or text */
	SCORING_ECHO,            /* echo and logprobs on /v1/completions */
	SCORING_SGLANG,          /* /generate with logprob_start_len */
	SCORING_TGI,             /* /generate with decoder_input_details */
};

/* Where the engine turns text or messages into ids; members NULL where it does not. */
struct tokenizing {
	const char *tokenize;        /* path, POST */
	const char *text_member;     /* of the request: "prompt", "content", "input" */
	const char *ids_member;      /* of the answer, dotted */
	const char *messages_member; /* the same path takes messages: "messages" */
	const char *template_path;   /* apply-template: messages to text */
	const char *template_member; /* of its answer */
};

struct rename {
	const char *from, *to;
};

/*
 * A number that the engine refuses, or takes for something else than its name says: from low to
 * high, both included. json is sent instead; NULL: the member is taken out.
 */
struct rule {
	const char *name;
	double low, high;
	const char *json;
	bool loses; /* what was asked for is lost by it */
};

/* Models of this engine that take less than the others. */
struct strict_models {
	const char *const
	        *prefixes;          /* of the model's name, without what is before its last slash */
	const char *const *refused; /* members */
	const struct rename *renames;
};

struct dialect {
	const char *name;  /* in configurations and captures: "vllm" */
	const char *title; /* "vLLM" */
	const struct sign *signs;
	/* What the system_fingerprint of its answers, and of no other engine's, begins with; or NULL. */
	const char *fingerprint;
	/* What a model's name without it stands for: "m" is "m:latest" (Ollama); or NULL. */
	const char *default_tag;
	bool relays;                               /* a gateway: its answers bear others' signs */
	const char *version_path, *version_member; /* NULL: it does not tell */
	const struct fact_source *facts;
	unsigned abilities;     /* enum ability */
	int max_top;            /* alternatives a token; -1: no limit, 0: none or unknown */
	int max_top_completion; /* on /v1/completions, where that differs; 0: as max_top */

	/* Asking for logprobs: added beside, or instead of, logprobs and top_logprobs. "$TOP" stands
	 * for the number. NULL: OpenAI's words. */
	const struct member_edit *ask_chat, *ask_completion;
	/* Added to copies alone, since a cut would not know them (return_token_ids); in streams of chat
	 * ask_copy_stream in its place, unless that is NULL (an empty list adds nothing). */
	const struct member_edit *ask_copy, *ask_copy_stream;
	/* In place of ask_chat in copies with tools, where the engine has not the ability. */
	const struct member_edit *ask_tools;

	/*
	 * The strictly greedy, unpenalised request: members set, or (json NULL) taken out. Nothing else
	 * may be sent to a strict engine.
	 */
	const struct member_edit *greedy_chat, *greedy_completion;
	/* Members that a strict engine takes; all others are taken out of a copy. NULL: any. */
	const char *const *allowed_chat, *const *allowed_completion;
	const struct rename *renames;                       /* before allowed_ is looked at */
	const struct rule *rules;                           /* after renaming */
	bool refuses_null;                                  /* a member that is null is an error */
	const struct strict_models *strict_models;          /* NULL: none */
	struct sampling defaults_chat, defaults_completion; /* of members left unset */
	/* What switches each parameter off (temperature: what leaves the model's own distribution);
	 * NaN: can't be sent, the default is in force whatever the request says. */
	struct sampling off;
	const char *repetition_name; /* "repetition_penalty", "repeat_penalty"; NULL: none */
	/* The longest answer where the request does not say; -1: to the context's end, 0: unknown. */
	int64_t default_max_tokens, default_max_tokens_chat; /* completions; chat */
	/* Members that switch thinking; NULL: can't be. */
	const struct member_edit *thinking_on, *thinking_off;

	/* The member by which a request keeps out of the prefix cache, and its values for keeping out and for using it; NULL: a text of its
	 * own for what may share, and none. Member NULL: it has no such word. */
	struct caching {
		const char *member, *cold, *warm;
	} caching;
	/* How logprobs harm the one who asks for them: "it takes ...". A primary of this kind is not
	 * asked for them unless the configuration insists. NULL: they do not. */
	const char *logprobs_harm;
	enum scoring scoring;
	struct tokenizing tokenizing;
	bool echo_shifts_without_bos; /* llama-cpp-python, section of echo */
	/* What its logprobs are of: "raw", "processed" (after temperature and penalties), "mixed". */
	const char *basis;
	/* Words of warning that a probe prints and docs show; one sentence each, ended by NULL. */
	const char *const *cautions;
};

/* All dialects, generic last; *ret_n of them. */
const struct dialect *const *dialects(size_t *ret_n);
/* By name, or NULL. */
const struct dialect *dialect_find(const char *name);
extern const struct dialect dialect_generic;
