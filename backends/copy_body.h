#pragma once
/*
 * copy_body - converts a client's request for another backend: the model's name there, configured
 * members, a chat as a prompt, alignment of both engines, added logprobs.
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

/* The conversion of all requests for one backend. */
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
	        *from_told; /* the primary's defaults as it states them; NaN: unknown */
	enum endpoint endpoint;
	const struct request_facts *facts;
	struct span body; /* one JSON object */
	int top;
	bool want_logprobs, want_usage; /* to add if the client did not request them */
};

struct copy_body {
	bool edited;
	struct buf sent;    /* the whole body, if it was edited */
	struct edits edits; /* the edits that make it from the client's body */
	struct injection added;
	enum endpoint endpoint;     /* endpoint that it goes to */
	struct request_facts facts; /* of the converted request */
	uint32_t marks;             /* marks for the leg: LEG_DROPPED, LEG_WRITTEN_OUT */
	const char *unable;         /* what the engine cannot do (align_unable()); or NULL */
};

/* The model's name at that backend, or NULL: as requested. */
const char *copy_body_model(const struct copy_rules *rules, const char *asked);
/* Returns NULL, or why this request cannot be sent to the backend: one sentence without a full
 * stop. */
const char *copy_body_make(const struct copy_body_plan *plan, struct copy_body *ret) MUST_CHECK;
void copy_body_finish(struct copy_body *b);
