#pragma once
/*
 * probing - internals of the probe: asks one question and records what its answer shows. Only the
 * probe's files include it.
 *
 * Each experiment (probe_*.c) is a function of struct probing. The caller or a limit may end the
 * probe at any question; what is recorded after that does not count.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/probe/probe.h"
#include "answers/reading.h"
#include "answers/request.h"

#define PROBE_PROMPT "The capital of France is"
#define PROBE_CHAT "Name three prime numbers and add them up."
/* number of alternatives in questions for which the number does not matter */
#define PROBE_TOP 5

/* What answers at temperature 0 showed about their tokens. */
struct sightings {
	/* answers with logprobs; misspelt: those whose tokens do not spell the text */
	uint32_t answers, misspelt;
	/* tokens with logprobs; misnamed: stated wrongly (TOKEN_MISNAMED); not_top: other tokens
	 * for which the list has a more probable one */
	uint32_t tokens, misnamed, not_top;
	/* part of not_top: the more probable token had occurred before */
	uint32_t passed_before;
	uint32_t unlike; /* tokens with another logprob in their own list */
	/* How the JSON of an answer writes its tokens. pieces: with a vocabulary's mark for a
	 * space; texts: without such a mark; keyless: as "token_id:N"; ids: it gives the id
	 * of a token; bytes: it lists their bytes; bytes_null: it has "bytes": null. */
	bool pieces, texts, keyless, ids, bytes, bytes_null;
	/* The first case of each kind; NULL: none. misspelt_example: the request;
	 * passed_example: a token of passed_before; other_example: another token of not_top. */
	char *misspelt_example, *misnamed_example, *passed_example, *other_example;
	/* the largest difference in nats between the more probable and the chosen token */
	double passed_most;
};

struct probing {
	const struct probe_settings *settings;
	const struct dialect *dialect;
	struct probe_report *report;
	uint64_t start; /* clock_mono() ns */
	unsigned mute;  /* number of questions without a complete answer */
	/* the probe was stopped, or reached a limit: it asks and records nothing more */
	bool over;
	bool answers[N_ENDPOINTS];  /* the route gives answers */
	bool logprobs[N_ENDPOINTS]; /* the route gives logprobs */
	/* the route was asked with the dialect's names of members, not with OpenAI's */
	bool dialect_words[N_ENDPOINTS];
	/* kept: a connection carried several questions; closed: none ever did */
	bool kept, closed;
	int minor; /* HTTP/1.minor of the answers; -1: no answer */
	struct sightings seen;
	/* the last question without a valid answer, and that answer; NULL: none */
	char *last_failed;
	char *completion; /* the answer to PROBE_PROMPT; NULL: none */
	/* tokens of PROBE_PROMPT as the engine counts them; -1: not stated */
	int64_t prompt_tokens;
};

struct question {
	enum endpoint endpoint; /* chat or completion */
	const char *text;       /* the user's message, or the prompt */
	const char *raw;        /* JSON in place of the member messages or prompt; or NULL */
	const char *members;    /* more members, such as "\"max_tokens\":4,\"temperature\":0" */
	int top;                /* requests logprobs with so many alternatives; 0: no logprobs */
	bool usage;             /* requests the usage at the end of a stream */
	const char *model;      /* another model than the probe's; or NULL */
	bool stream;
	bool greedy;         /* the request is greedy, and its tokens count in struct sightings */
	uint64_t timeout_ms; /* 0: settings.timeout_ms */
	size_t limit;        /* bytes of the answer; 0: 4 MiB */
	bool fresh;          /* as in struct call */
	bool (*on_data)(void *arg, uint64_t us, const char *data, size_t len);
	void *arg;
};

struct reply {
	char *sent; /* method, path and body without the model, for evidence */
	char *came; /* the result, such as "200", "400: the message", "no answer within 60 s" */
	struct call_answer answer;
	struct reading *reading; /* never NULL */
};

/* The caller finishes *ret in any case. False: the answer is not a complete 200 with a choice. */
bool probing_ask(struct probing *p, const struct question *q, struct reply *ret);
void reply_finish(struct reply *t);
const struct choice *reply_choice(const struct reply *t); /* the first one, or NULL */
/* of the first choice, with at least one token; or NULL */
const struct columns *reply_columns(const struct reply *t);
struct span reply_text(const struct reply *t); /* of the first choice; empty: there is none */
/* the length of the longest list of alternatives */
uint32_t reply_most_alternatives(const struct reply *t);
/* Sends a GET, or a POST of JSON, that does not generate. The caller finishes *ret. */
void probing_call(
        struct probing *p, const char *path, struct span body, bool fresh, struct call_answer *ret);

/* Counts what an answer shows about its tokens; probing_ask() calls it for greedy questions. */
void probing_see(struct probing *p, const struct question *q, const struct reply *t);

/* A dialect's list of members as text; "" for NULL or an empty list. The caller frees it. */
char *probing_members(const struct member_edit *members, int top);
/* The endpoint for questions that fit both: completions if they answer, else chat. */
enum endpoint probing_route(const struct probing *p);
const char *probing_path(enum endpoint e); /* such as "/v1/completions" */

void probing_step(struct probing *p, const char *what);
/* Records a capability. Takes ownership of value and evidence, which may be NULL. */
void probing_capability(
        struct probing *p, const char *name, enum standing standing, char *value, char *evidence);
/* True if the answer did not arrive in time, or there was no connection, so that the engine did
 * not refuse. */
bool probing_is_late(const struct reply *t);
/* Records a capability whose question got no valid answer: as refused, or as unknown if no
 * answer arrived in time. Takes ownership of evidence. */
void probing_refused(struct probing *p, const char *name, const struct reply *t, char *evidence);
void probing_finding(struct probing *p, const char *name, enum severity severity, char *title,
        char *evidence, const char *advice);

/* The value at a path with dots in a JSON text, such as "choices.0.text"; empty: there is none. */
struct span probing_at(struct span json, const char *path);

/* The experiments, in the order in which they run. */
void probe_routes(struct probing *p);
void probe_streams(struct probing *p);
void probe_alternatives(struct probing *p);
void probe_harm(struct probing *p);
void probe_tokens(struct probing *p);
void probe_prompts(struct probing *p);
void probe_scores(struct probing *p);
void probe_choices(struct probing *p);
void probe_repeats(struct probing *p);
void probe_greedy(struct probing *p);
void probe_cache(struct probing *p);
void probe_tools(struct probing *p);
void probe_reasoning(struct probing *p);
void probe_errors(struct probing *p);
void probe_connection(struct probing *p);
void probe_risks(struct probing *p);
/* Call it after a step with a failure: checks whether the engine still answers. */
void probe_look(struct probing *p, const char *step);
