#pragma once
/*
 * juror - asks one engine for opinions, one after another.
 *
 * Several jurors can work on one engine in parallel, each in its own thread. Only juror_stop() may
 * be called from another thread or a signal handler.
 */
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/opinion.h"

struct juror_settings {
	const struct dialect *dialect;
	struct call_line_settings line;
	const char *model; /* as the engine names it, or NULL */
	int max_tokens;
	uint64_t timeout_ms; /* limit for one request */
};

struct juror;

/* NULL and a sentence (the caller frees it). The settings' strings must outlive the juror. */
struct juror *juror_create(const struct juror_settings *s, char **ret_error) MUST_CHECK;
void juror_destroy(struct juror *j); /* NULL is fine */
void juror_stop(struct juror *j);    /* ends the current and all later requests as JUROR_STOPPED */

enum juror_end {
	JUROR_DONE,
	JUROR_FAILED, /* it may succeed later */
	JUROR_GONE,   /* the engine is unreachable */
	JUROR_STOPPED,
};

struct juror_reply {
	enum juror_end end;
	char *why;                 /* unless DONE: the end of a sentence */
	struct buf request;        /* as sent */
	struct call_answer answer; /* the engine's answer */
	uint64_t start_ns;         /* wall clock, when it was sent */
	enum opinion opinion;      /* DONE */
	bool clear;                /* DONE: the reply has a verdict */
};

/* request: the client's request as text; empty: unknown. */
void juror_ask(struct juror *j, struct span request, struct span first, struct span second,
        struct juror_reply *ret);
void juror_reply_finish(struct juror_reply *r);
