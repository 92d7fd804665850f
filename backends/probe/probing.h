#pragma once
/*
 * probing - the inside of a probe: asking one question, and writing down what its answer showed.
 * Only the probe's own files include it.
 *
 * Each experiment (probe_*.c) is a function over struct probing. It may end at any question, by the
 * caller's stop or a limit: nothing that is written down after that counts.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/probe/probe.h"
#include "answers/reading.h"
#include "answers/request.h"

#define PROBE_PROMPT "The capital of France is"
#define PROBE_CHAT "Name three prime numbers and add them up."
#define PROBE_TOP 5 /* alternatives asked for where the number does not matter */

/* What all answers at temperature 0 showed of their tokens. */
struct sightings {
	uint32_t answers, misspelt;         /* with logprobs */
	uint32_t tokens, misnamed, not_top; /* misnamed ones are not counted among not_top */
	uint32_t passed_before; /* of not_top: the token passed over had occurred before */
	uint32_t unlike;        /* the chosen token has another logprob in its own list */
	bool pieces, texts, keyless, ids, bytes, bytes_null;
	char *misspelt_example, *misnamed_example, *passed_example, *other_example;
	double passed_most; /* nats by which the token passed over was the more probable, at most */
};

struct probing {
	const struct probe_settings *settings;
	const struct dialect *dialect;
	struct probe_report *report;
	uint64_t start; /* clock_mono() */
	unsigned mute;  /* questions that nothing whole came to */
	bool over;      /* stopped, or a limit reached: nothing is asked or written any more */
	bool answers[N_ENDPOINTS];       /* the route gives answers */
	bool logprobs[N_ENDPOINTS];      /* and logprobs with them */
	bool dialect_words[N_ENDPOINTS]; /* asked in the dialect's words rather than OpenAI's */
	bool kept, closed;               /* connections carried several questions, or never */
	int minor;                       /* HTTP/1.minor of the answers; -1: none came */
	struct sightings seen;
	char *last_failed;     /* what was sent and came when an answer was none; NULL: all were */
	char *completion;      /* the answer to PROBE_PROMPT; NULL: none */
	int64_t prompt_tokens; /* of PROBE_PROMPT, as the engine counts; -1: not told */
};

struct question {
	enum endpoint endpoint; /* chat or completion */
	const char *text;       /* the user's message, or the prompt */
	const char *raw;        /* or JSON in place of messages or prompt */
	const char *members;    /* more members, as "\"max_tokens\":4,\"temperature\":0" */
	const char *model;      /* another than the probe's */
	bool stream;
	bool greedy;         /* its tokens count among the sightings */
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

/* The answer has to be finished in any case. False: it is no whole 200 with a choice. */
bool probing_ask(struct probing *p, const struct question *q, struct told *ret);
void told_finish(struct told *t);
const struct choice *told_choice(const struct told *t); /* the first one, or NULL */
const struct columns *told_columns(
        const struct told *t);               /* of the first choice, tokens in it; or NULL */
struct span told_text(const struct told *t); /* of the first choice; empty if there is none */
uint32_t told_most_alternatives(const struct told *t); /* in the list of any one token */
/* A GET, or a POST of JSON, that generates nothing. */
void probing_call(
        struct probing *p, const char *path, struct span body, bool fresh, struct call_answer *ret);

/* Takes in what an answer tells of its tokens; probing_ask() does it for greedy questions. */
void probing_see(struct probing *p, const struct question *q, const struct told *t);

/* What asks for logprobs, as members; the caller frees it. */
char *probing_logprobs(const struct probing *p, enum endpoint e, int top);
/* A dialect's list of members; "" for NULL or none. The caller frees it. */
char *probing_members(const struct member_edit *members, int top);
/* Completions where they answer, else chat. */
enum endpoint probing_route(const struct probing *p);
const char *probing_path(enum endpoint e); /* "/v1/completions" */

void probing_step(struct probing *p, const char *what);
/* value and evidence are taken (and may be NULL). */
void probing_capability(
        struct probing *p, const char *name, enum standing standing, char *value, char *evidence);
/* An answer to the question did not come in time, or there was no connection: nobody said no. */
bool probing_is_late(const struct told *t);
/* Of a question that got no answer: refused, or unknown if none came in time. evidence is taken. */
void probing_refused(struct probing *p, const char *name, const struct told *t, char *evidence);
void probing_finding(struct probing *p, const char *name, enum gravity gravity, char *title,
        char *evidence, const char *advice);

/* A value of a JSON text by its dotted path ("choices.0.text"); an empty span when there is none. */
struct span probing_at(struct span json, const char *path);

/* The experiments, in the order in which they are made. */
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
/* After a step in which something failed: is it still there? */
void probe_look(struct probing *p, const char *step);
