#pragma once
/*
 * copy_body - what a client's request becomes for one reference: its model's name there, the members that
 * the configuration sets, the chat as a prompt, what makes both engines do the same, and the logprobs that
 * nobody asked for.
 *
 * Pure.
 */
#include <stdbool.h>

#include "backends/inject.h"
#include "proxy/settings.h"
#include "proxy/stack.h"

struct copy_body_plan {
	const struct backend_settings *to;
	const struct stack_view *from_stack, *to_stack; /* the primary's and the reference's */
	enum endpoint endpoint;
	const struct request_facts *facts;
	struct span body; /* one JSON object */
	int top;
	bool want_fields; /* logprobs and usage are to be added */
};

struct copy_body {
	bool edited;
	struct buf sent;    /* the whole body, if it was edited */
	struct edits edits; /* what makes it out of the client's */
	struct injection added;
	enum endpoint endpoint;     /* where it goes */
	struct request_facts facts; /* of what goes there */
	bool dropped;       /* members that the client had set were taken out for a strict engine */
	const char *unable; /* what was to be asked and can't be, of align_unable(); or NULL */
};

/* The name that the model has there, or NULL: as asked. */
const char *copy_body_model(const struct backend_settings *to, const char *asked);
/* NULL, or why this request can't be put to the reference: one sentence without a full stop. */
const char *copy_body_make(const struct copy_body_plan *plan, struct copy_body *ret) MUST_CHECK;
void copy_body_finish(struct copy_body *b);
