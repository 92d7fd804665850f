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
#include "backends/probe/probe_reply.h"
#include "backends/probe/probe_observations.h"

#define PROBE_PROMPT "The capital of France is"
#define PROBE_CHAT "Name three prime numbers and add them up."
/* number of alternatives in questions for which the number does not matter */
#define PROBE_TOP 5

struct probing {
	const struct probe_settings *settings;
	const struct dialect *dialect;
	struct probe_report *report;
	uint64_t start; /* clock_mono() ns */
	/* questions without `fresh` that got no connection, or no answer in time */
	unsigned n_unanswered;
	/* the probe was stopped, or reached a limit: it asks and records nothing more */
	bool ended;
	bool answers[N_ENDPOINTS];  /* the route gives answers */
	bool logprobs[N_ENDPOINTS]; /* the route gives logprobs */
	/* the route was asked with the dialect's parameters, not with OpenAI's */
	bool dialect_parameters[N_ENDPOINTS];
	bool kept; /* a connection carried several questions */
	int minor; /* HTTP/1.minor of the answers; -1: no answer */
	struct observations observed;
	double noise; /* nats: the most that a logprob differed when a request was repeated */
	/* the step's last question without a valid answer, and that answer; NULL: none */
	const char *last_failed;
	const char *completion; /* the answer to PROBE_PROMPT; NULL: none */
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
	bool greedy; /* the request is greedy, and its tokens count in struct observations */
	uint64_t timeout_ms; /* 0: settings.timeout_ms */
	size_t limit;        /* bytes of the answer; 0: 4 MiB */
	bool fresh;          /* as in struct call */
	bool (*on_data)(void *arg, uint64_t us, const char *data, size_t len);
	void *arg;
};

/* Blocks until the answer is complete or overdue. If p->ended, sends nothing. Returns
 * reply_is_good(). The caller finishes *ret in any case. */
bool probing_ask(struct probing *p, const struct question *q, struct reply *ret);
/* As probing_ask(), for a POST of JSON that does not generate, with 5 s for the answer. */
void probing_call(struct probing *p, const char *path, struct span body, struct call_answer *ret);

/* Texts live as long as the report. probing_quote(): a text of the engine, made safe to print,
 * with at most `limit` bytes. probing_copy(): a text as it is; probing_keep(): that of a buffer,
 * which it finishes. */
const char *probing_text(struct probing *p, const char *format, ...) PRINTF(2, 3);
const char *probing_quote(struct probing *p, struct span text, size_t limit);
const char *probing_copy(struct probing *p, struct span text);
const char *probing_keep(struct probing *p, struct buf *text);
/* A dialect's list of members as text; "" for NULL or an empty list. */
const char *probing_members(struct probing *p, const struct member_edit *members, int top);
/* The endpoint for questions that fit both: completions if they answer, else chat. */
enum endpoint probing_route(const struct probing *p);
/* A chat or prompt for questions in which the text does not matter. */
const char *probing_any_text(enum endpoint e);

void probing_step(struct probing *p, const char *what);
/* Records a capability that CAPABILITIES (probe_report.c) has. value, evidence: or NULL. */
void probing_capability(struct probing *p, const char *name, enum standing standing,
        const char *value, const char *evidence);
/* Records a capability whose question got no valid answer: as refused, or as unknown if no
 * answer arrived in time. */
void probing_refused(
        struct probing *p, const char *name, const struct reply *t, const char *evidence);
void probing_finding(struct probing *p, const char *name, enum severity severity, const char *title,
        const char *evidence, const char *advice);

/* The experiments; probe.c has their order. */
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
/* Call it after each step. If a question of it got no valid answer, checks whether the engine still
 * answers, and ends the probe if it does not. */
void probe_check_alive(struct probing *p, const char *step);
