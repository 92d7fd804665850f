#pragma once
/*
 * probing - internals of the probe: asks one question and records what its answer shows. Only the
 * probe's files include it.
 *
 * Each experiment (probe_*.c) is a function over struct probing. The caller or a limit may end it
 * at any question; what is recorded after that does not count.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/probe/probe.h"
#include "answers/reading.h"
#include "answers/request.h"

#define PROBE_PROMPT "The capital of France is"
#define PROBE_CHAT "Name three prime numbers and add them up."
#define PROBE_TOP 5 /* number of alternatives requested where it does not matter */

/* What the answers at temperature 0 showed of their tokens. */
struct sightings {
	uint32_t answers, misspelt;         /* with logprobs */
	uint32_t tokens, misnamed, not_top; /* misnamed ones are not in not_top */
	uint32_t passed_before;             /* of not_top: the better token had occurred before */
	uint32_t unlike; /* the chosen token has another logprob in its own list */
	bool pieces, texts, keyless, ids, bytes, bytes_null;
	char *misspelt_example, *misnamed_example, *passed_example, *other_example;
	double passed_most; /* largest difference in nats between the better and the chosen token */
};

struct probing {
	const struct probe_settings *settings;
	const struct dialect *dialect;
	struct probe_report *report;
	uint64_t start; /* clock_mono() */
	unsigned mute;  /* questions without a complete answer */
	bool over;      /* stopped, or a limit was reached: nothing more is asked or recorded */
	bool answers[N_ENDPOINTS];       /* the route gives answers */
	bool logprobs[N_ENDPOINTS];      /* the route gives logprobs */
	bool dialect_words[N_ENDPOINTS]; /* asked with the dialect's names, not OpenAI's */
	bool kept, closed;               /* a connection carried several questions; none ever did */
	int minor;                       /* HTTP/1.minor of the answers; -1: no answer */
	struct sightings seen;
	/* the last question that got no valid answer, and its answer; NULL: none */
	char *last_failed;
	char *completion;      /* the answer to PROBE_PROMPT; NULL: none */
	int64_t prompt_tokens; /* of PROBE_PROMPT by the engine's count; -1: not stated */
};

struct question {
	enum endpoint endpoint; /* chat or completion */
	const char *text;       /* the user's message, or the prompt */
	const char *raw;        /* or JSON in place of messages or prompt */
	const char *members;    /* more members, as "\"max_tokens\":4,\"temperature\":0" */
	const char *model;      /* if not the probe's */
	bool stream;
	bool greedy;         /* its tokens count in struct sightings */
	uint64_t timeout_ms; /* 0: the probe's */
	size_t limit;        /* bytes of the answer; 0: 4 MiB */
	bool fresh;
	bool (*on_data)(void *arg, uint64_t us, const char *data, size_t len);
	void *arg;
};

struct told {
	char *sent; /* for evidence: method, path and body, without the model */
	char *came; /* "200", "400: the message", "no answer within 60 s" */
	struct call_answer answer;
	struct reading *reading; /* never NULL */
};

/* The caller finishes *ret in any case. False: the answer is not a complete 200 with a choice. */
bool probing_ask(struct probing *p, const struct question *q, struct told *ret);
void told_finish(struct told *t);
const struct choice *told_choice(const struct told *t); /* the first one, or NULL */
const struct columns *told_columns(
        const struct told *t);               /* of the first choice, tokens in it; or NULL */
struct span told_text(const struct told *t); /* of the first choice; empty if there is none */
uint32_t told_most_alternatives(const struct told *t); /* in the longest list */
/* A GET, or a POST of JSON, without generation. */
void probing_call(
        struct probing *p, const char *path, struct span body, bool fresh, struct call_answer *ret);

/* Counts what an answer shows of its tokens; probing_ask() calls it for greedy questions. */
void probing_see(struct probing *p, const struct question *q, const struct told *t);

/* The members that request logprobs; the caller frees them. */
char *probing_logprobs(const struct probing *p, enum endpoint e, int top);
/* A dialect's list of members; "" for NULL or none. The caller frees it. */
char *probing_members(const struct member_edit *members, int top);
/* Completions where they answer, else chat. */
enum endpoint probing_route(const struct probing *p);
const char *probing_path(enum endpoint e); /* "/v1/completions" */

void probing_step(struct probing *p, const char *what);
/* Takes ownership of value and evidence, which may be NULL. */
void probing_capability(
        struct probing *p, const char *name, enum standing standing, char *value, char *evidence);
/* True if the answer did not arrive in time, or there was no connection: the engine did not
 * refuse. */
bool probing_is_late(const struct told *t);
/* Records a question without a valid answer: refused, or unknown if none arrived in time. Takes
 * ownership of evidence. */
void probing_refused(struct probing *p, const char *name, const struct told *t, char *evidence);
void probing_finding(struct probing *p, const char *name, enum severity severity, char *title,
        char *evidence, const char *advice);

/* The value at a dotted path of a JSON text ("choices.0.text"); empty if there is none. */
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
/* After a step with a failure: checks whether the engine still answers. */
void probe_look(struct probing *p, const char *step);
