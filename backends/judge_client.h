#pragma once
/*
 * judge_client - asks one engine for opinions (backends/judge_opinion.h), one after another.
 *
 * Several judge clients can ask one engine in parallel, each in its own thread. Only
 * judge_client_stop() may be called from another thread or a signal handler.
 */
#include <stdint.h>

#include "backends/question_end.h"
#include "backends/judge_opinion.h"

struct judge_client_settings {
	const struct dialect *dialect;
	struct call_line_settings line;
	const char *model; /* as the engine names it, or NULL */
	int max_tokens;
	uint64_t timeout_ms; /* of one request */
};

struct judge_client;

/* Returns NULL, and in *ret_error a sentence that the caller frees, on error. The settings'
 * strings must outlive the client. */
struct judge_client *judge_client_create(
        const struct judge_client_settings *s, char **ret_error) MUST_CHECK;
void judge_client_destroy(struct judge_client *j); /* NULL is fine */
/* the current request and all later ones end as QUESTION_STOPPED */
void judge_client_stop(struct judge_client *j);

struct judge_client_reply {
	enum question_end end;
	/* unless DONE: the end of a sentence that says why there is no opinion */
	char *why;
	struct buf request;        /* as sent */
	struct call_answer answer; /* the engine's answer */
	uint64_t start_ns;         /* time of sending, ns since 1970 */
	enum opinion opinion;      /* DONE */
	bool clear;                /* DONE: the reply has a verdict */
};

/* Asks whether the answers first and second say the same. request: the client's request as text;
 * empty: unknown. The caller finishes *ret in any case. */
void judge_client_ask(struct judge_client *j, struct span request, struct span first,
        struct span second, struct judge_client_reply *ret);
void judge_client_reply_finish(struct judge_client_reply *r);
