#pragma once
/*
 * juror - has one engine give opinions, one after another.
 *
 * Several jurors may work on one engine side by side, each in its own thread; juror_stop() alone may
 * come from another thread or a signal handler.
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

/* NULL and a sentence (the caller frees it). The settings' strings must outlive the juror. */
struct juror *juror_create(const struct juror_settings *s, char **ret_error) MUST_CHECK;
void juror_destroy(struct juror *j); /* NULL is fine */
void juror_stop(struct juror *j);    /* what is under way, and all later, end as JUROR_STOPPED */

enum juror_end {
	JUROR_DONE,
	JUROR_FAILED, /* another time it may succeed */
	JUROR_GONE,   /* the engine can't be reached */
	JUROR_STOPPED,
};

struct juror_reply {
	enum juror_end end;
	char *why;                 /* unless DONE: one sentence's end */
	struct buf request;        /* as it was sent */
	struct call_answer answer; /* to it */
	uint64_t start_ns;         /* wall clock, when it was sent */
	enum opinion opinion;      /* DONE */
	bool clear;                /* DONE: the reply holds a verdict */
};

/* request: what was asked, in words; empty: not known. */
void juror_ask(struct juror *j, struct span request, struct span first, struct span second,
        struct juror_reply *ret);
void juror_reply_finish(struct juror_reply *r);
