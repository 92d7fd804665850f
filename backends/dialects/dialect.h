#pragma once
/*
 * dialect - what plumbline knows about one kind of engine: how to recognise it, its names for
 * parameters, its defaults, where it describes itself, how it scores a given text.
 *
 * Each file in backends/dialects/ has one constant, which dialects/dialects.c lists;
 * docs/backends.md shows how to add one. A dialect is all data: code reads its members and never
 * asks which engine it is. A dialect is an assumption about the engine; the probe
 * (backends/probe/probe.h) tests what a server really does.
 *
 * Lists end with a zero element (name or path NULL). Everything is constant: any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/edits.h"
#include "answers/request.h"

/* Weights of signs, of 100. The weights of an engine's signs are added, up to 100. */
#define SIGN_CERTAIN 100
#define SIGN_STRONG 60
#define SIGN_WEAK 20

enum sign_kind {
	SIGN_END,
	SIGN_MEMBER, /* the JSON answer has the member, with this value unless value is NULL */
	SIGN_STARTS, /* the member is a string that begins with value */
	/* the answer has the header field `member`, which begins with value (NULL: any) */
	SIGN_HEADER,
	/* as SIGN_HEADER, but only in a 2xx answer whose content is empty or JSON: other
	 * servers, too, use the library that sends this field */
	SIGN_SERVED,
	SIGN_TEXT,    /* the body contains value */
	SIGN_ANSWERS, /* the path answers 200 with a JSON object */
	SIGN_ABSENT,  /* the JSON answer lacks this member, but has others */
};

/* A sign: something in the answer to a GET that suggests an engine. */
struct sign {
	enum sign_kind kind;
	int weight;
	const char *path; /* "/version" */
	/* the way to the member, with dots; numbers select elements: "data.0.owned_by" */
	const char *member;
	const char *value;
};

/*
 * A fact of the manifest, and where the engine states it. Names of facts are those of
 * capture/manifest.h. If a fact has several sources, the first source that has it counts.
 */
struct fact_source {
	const char *fact;
	const char *path; /* the path of a GET or POST */
	/* POSTed JSON in which "$MODEL" stands for the model's name; NULL: a GET */
	const char *body;
	const char *member; /* as in struct sign; "": the whole body; NULL: see metric */
	const char *metric; /* in Prometheus's text format: "name{label}" gives the label's value */
};

/* Sampling parameters. NaN: unknown; in dialect.off: there is no such value. */
struct sampling {
	double temperature, top_p, top_k, min_p;
	double repetition_penalty, presence_penalty, frequency_penalty;
};

enum ability { /* what the engine supports, as far as plumbline knows: a set of bits */
	ABILITY_CHAT_LOGPROBS = 1 << 0,
	ABILITY_CHAT_STREAM_LOGPROBS = 1 << 1,
	ABILITY_COMPLETION_LOGPROBS = 1 << 2,
	ABILITY_COMPLETION_STREAM_LOGPROBS = 1 << 3,
	/* accepts logprobs with tools in a stream; ABILITY_TOOLS_LOGPROBS: in a unary answer */
	ABILITY_TOOLS_STREAM_LOGPROBS = 1 << 4,
	ABILITY_STREAM_USAGE = 1 << 5, /* stream_options.include_usage */
	ABILITY_ID_PROMPT = 1 << 6,    /* prompts may be token ids */
	/* A second request may break a running answer (llama-cpp-python): one at a time. */
	ABILITY_ONE_AT_A_TIME = 1 << 7,
	ABILITY_TOOLS_LOGPROBS = 1 << 8, /* as ABILITY_TOOLS_STREAM_LOGPROBS */
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
	const char *tokenize; /* the path of a POST */
	/* the request's member for a text: "prompt", "content", "input" */
	const char *text_member;
	const char *ids_member; /* the answer's member with the ids; a path with dots */
	/* the request's member for messages on the same path: "messages" */
	const char *messages_member;
	/* the path of a POST that converts messages to text (apply-template) */
	const char *template_path;
	const char *template_member; /* the member of that answer with the text */
};

struct rename {
	const char *from, *to;
};

/*
 * A range of values of a member, from low to high inclusive, that the engine refuses or interprets
 * differently. json is sent instead; NULL: the member is removed.
 */
struct rule {
	const char *name;
	double low, high;
	const char *json;
	bool loses; /* the change loses something that the client requested */
};

/* Models of this engine that refuse further members. */
struct strict_models {
	const char *const *prefixes; /* beginnings of the model's name after its last slash */
	const char *const *refused;  /* names of members that these models refuse */
	const struct rename *renames;
};

/* The distribution from which the logprobs in an engine's answers come. */
enum logprobs_basis {
	LOGPROBS_UNKNOWN,
	LOGPROBS_RAW,               /* the model's own distribution */
	LOGPROBS_AFTER_TEMPERATURE, /* before top_k, top_p and min_p */
	LOGPROBS_PROCESSED,         /* after temperature, penalties and filters */
	LOGPROBS_RAW_BY_DEFAULT,    /* the model's own, unless a flag of the server changes it */
	N_LOGPROBS_BASES,
};
const char *logprobs_basis_name(enum logprobs_basis b); /* "after_temperature" */

struct dialect {
	const char *name;  /* its name in configurations and captures, such as "vllm" */
	const char *title; /* its name for people, such as "vLLM" */
	const struct sign *signs;
	/* The beginning of system_fingerprint that only this engine's answers have; or NULL. */
	const char *fingerprint;
	/* The tag that the engine assumes if a model's name has none ("latest"); or NULL. */
	const char *default_tag;
	/* It lists all installed models, and the request chooses one. */
	bool lists_installed;
	/* a gateway: its answers also have signs of other engines */
	bool relays;
	const char *version_path, *version_member; /* where it states its version; NULL: nowhere */
	const struct fact_source *facts;
	unsigned abilities;     /* enum ability */
	int max_top;            /* most alternatives per token; -1: no limit; 0: none or unknown */
	int max_top_completion; /* the same on /v1/completions; 0: as max_top */

	/* Members that request logprobs, in addition to logprobs and top_logprobs or in place of
	 * them. "$TOP" stands for the number of alternatives. NULL: as OpenAI. */
	const struct member_edit *ask_chat, *ask_completion;
	/* Members that request token ids, added together with logprobs. In streams of chat,
	 * ask_ids_stream is used instead unless it is NULL (an empty list adds nothing). */
	const struct member_edit *ask_ids, *ask_ids_stream;
	/* True if ask_ids and ask_ids_stream add only token_ids and prompt_token_ids to the
	 * answer. A cut can remove these, so the proxy may ask a primary for ids, too. False:
	 * only copies ask for them. */
	bool ids_are_cut;
	/* Used in place of ask_chat in copies with tools, if the engine lacks
	 * ABILITY_TOOLS_LOGPROBS or ABILITY_TOOLS_STREAM_LOGPROBS. */
	const struct member_edit *ask_tools;

	/*
	 * Members that make a request greedy, without penalties: each is set, or (json NULL)
	 * removed. An engine that refuses unknown members may get no others.
	 */
	const struct member_edit *greedy_chat, *greedy_completion;
	/* Names of the only members that copies may have, for an engine that refuses all others;
	 * others are removed. NULL: any. */
	const char *const *allowed_chat, *const *allowed_completion;
	/* of members that the client sent (for logprobs see ask_chat, for the repetition penalty
	 * repetition_name); applied before allowed_* */
	const struct rename *renames;
	const struct rule *rules; /* applied after renaming */
	/* the engine refuses a member that is null */
	bool refuses_null;
	const struct strict_models *strict_models; /* NULL: none */
	/* the engine's values for unset members */
	struct sampling defaults_chat, defaults_completion;
	const struct sampling *defaults_native; /* on its own routes; NULL: as for chats */
	/* The value that switches each parameter off; for temperature: the value that leaves the
	 * model's own distribution. NaN: no such value can be sent, so the default is always in
	 * force. */
	struct sampling off;
	/* its name for the repetition penalty, one of PENALTY_NAMES (answers/request.h); NULL:
	 * none. Copies have this name in place of the others. */
	const char *repetition_name;
	/* The limit of tokens if the request has none; -1: the rest of the context; 0: unknown. */
	int64_t default_max_tokens, default_max_tokens_chat; /* on completions, and on chat */
	/* Members that switch reasoning on or off; NULL: that is impossible. */
	const struct member_edit *thinking_on, *thinking_off;

	/* The request's member that controls the prefix cache, and its values; member NULL:
	 * there is none. cold: the value that avoids the cache; NULL: the value is a unique
	 * text, and only requests with equal texts share entries. warm: the value that uses the
	 * cache; NULL: the member is not set. */
	struct caching {
		const char *member, *cold, *warm;
	} caching;
	/* How a request for logprobs harms the answer: a text "it takes ...". The proxy does not
	 * ask such a primary for logprobs unless the configuration says so. NULL: no harm. */
	const char *logprobs_harm;
	enum scoring scoring;
	struct tokenizing tokenizing;
	/* the scores of an echo are off by one token if the tokenizer adds no BOS
	 * (llama-cpp-python); see score_locate() */
	bool echo_shifts_without_bos;
	enum logprobs_basis basis;
	/* Warnings that the probe and the documentation show; one sentence each, ended by NULL. */
	const char *const *cautions;
};

/* All dialects, generic last; *ret_n of them. */
const struct dialect *const *dialects(size_t *ret_n);
/* The dialect with this name, or NULL. */
const struct dialect *dialect_find(const char *name);
/* As dialect_find(), for a user's name. Returns NULL, or a sentence that lists the dialects. */
char *dialect_parse(const char *name, const struct dialect **ret) MUST_CHECK;
extern const struct dialect dialect_generic;
