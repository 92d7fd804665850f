#pragma once
/*
 * copy_body - what a client's request becomes for another backend: its model's name there, the members that
 * the configuration sets, the chat as a prompt, what makes both engines do the same, and the logprobs that
 * nobody asked for.
 *
 * Pure.
 */
#include <stdbool.h>

#include "backends/align.h"
#include "backends/injection/inject.h"
#include "backends/templates.h"
#include "capture/record.h"

struct model_map {
	char *from, *to;
};

struct member_setting {
	char *name;
	char *json; /* NULL: unset */
};

/* What is to be done to all requests for one backend. */
struct copy_rules {
	enum align align;
	enum thinking thinking;
	const struct chat_template *completions_template; /* chats go to /completions; or NULL */
	const struct model_map *models;
	size_t n_models;
	const struct member_setting *members; /* set and unset */
	size_t n_members;
};

struct copy_body_plan {
	const struct copy_rules *rules;
	const struct dialect *from, *to; /* the primary's and this backend's; never NULL */
	const struct sampling
	        *from_told; /* the primary's defaults as it tells them; NaN: it does not */
	enum endpoint endpoint;
	const struct request_facts *facts;
	struct span body; /* one JSON object */
	int top;
	bool want_logprobs, want_usage; /* to be added where the client did not ask */
};

struct copy_body {
	bool edited;
	struct buf sent;    /* the whole body, if it was edited */
	struct edits edits; /* what makes it out of the client's */
	struct injection added;
	enum endpoint endpoint;     /* where it goes */
	struct request_facts facts; /* of what goes there */
	uint32_t marks;             /* what a leg says of it: LEG_DROPPED, LEG_WRITTEN_OUT */
	const char *unable; /* what was to be asked and can't be, of align_unable(); or NULL */
};

/* The name that the model has there, or NULL: as asked. */
const char *copy_body_model(const struct copy_rules *rules, const char *asked);
/* NULL, or why this request can't be put to the backend: one sentence without a full stop. */
const char *copy_body_make(const struct copy_body_plan *plan, struct copy_body *ret) MUST_CHECK;
void copy_body_finish(struct copy_body *b);
