#pragma once
/*
 * juror - asks one engine for opinions (backends/opinion.h), one after another.
 *
 * Several jurors can ask one engine in parallel, each in its own thread. Only juror_stop() may be
 * called from another thread or a signal handler.
 */
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/opinion.h"

struct juror_settings {
	const struct dialect *dialect;
	struct call_line_settings line;
	const char *model; /* as the engine names it, or NULL */
	int max_tokens;
	uint64_t timeout_ms; /* of one request */
};

struct juror;

/* Returns NULL, and in *ret_error a sentence that the caller frees, on error. The settings'
 * strings must outlive the juror. */
struct juror *juror_create(const struct juror_settings *s, char **ret_error) MUST_CHECK;
void juror_destroy(struct juror *j); /* NULL is fine */
/* the current request and all later ones end as JUROR_STOPPED */
void juror_stop(struct juror *j);

enum juror_end {
	JUROR_DONE,
	JUROR_FAILED, /* the engine failed; a later request may succeed */
	JUROR_GONE,   /* the engine is unreachable */
	JUROR_STOPPED,
};

struct juror_reply {
	enum juror_end end;
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
void juror_ask(struct juror *j, struct span request, struct span first, struct span second,
        struct juror_reply *ret);
void juror_reply_finish(struct juror_reply *r);
