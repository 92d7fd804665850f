#pragma once
/*
 * copy_body - converts a client's request for another backend: replaces the model's name, sets
 * configured members, writes a chat as a prompt, aligns the engines, and adds logprobs.
 *
 * Pure.
 */
#include <stdbool.h>

#include "backends/align.h"
#include "backends/injection/inject.h"
#include "backends/templates.h"
#include "capture/record.h"

/* The name of a model at the primary, and at this backend. */
struct model_map {
	char *from, *to;
};

struct member_setting {
	char *name;
	char *json; /* NULL: the member is removed */
};

/* The conversion of all requests for one backend. */
struct copy_rules {
	enum align align;
	enum thinking thinking;
	/* the template with which chats go to /completions; or NULL */
	const struct chat_template *completions_template;
	struct model_map *models;
	size_t n_models;
	struct member_setting *members; /* members to set and to remove */
	size_t n_members;
};

/* Frees the lists and their texts. */
void copy_rules_finish(struct copy_rules *r);

struct copy_body_plan {
	const struct copy_rules *rules;
	/* dialects of the primary and of this backend; never NULL */
	const struct dialect *from, *to;
	/* the primary's defaults as it states them; NaN, or NULL for all: unknown */
	const struct sampling *from_stated;
	enum endpoint endpoint;
	const struct request_facts *facts;
	struct span body;               /* one JSON object */
	int top;                        /* alternatives per token to request */
	bool want_logprobs, want_usage; /* what to add if the client did not request it */
};

struct copy_body {
	bool edited;
	struct buf sent;            /* the converted body; empty unless edited */
	struct edits edits;         /* the edits that turn the plan's body into `sent` */
	struct injection added;     /* what was added for logprobs and usage */
	enum endpoint endpoint;     /* the endpoint to which the copy goes */
	struct request_facts facts; /* facts of the converted request */
	uint32_t marks;             /* marks for the leg: LEG_DROPPED, LEG_WRITTEN_OUT */
	const char *unable;         /* what the engine cannot do (align_unable()); or NULL */
};

/* The model's name at the backend; NULL: as requested. */
const char *copy_body_model(const struct copy_rules *rules, const char *requested);
/* Returns NULL, and the caller finishes *ret; or one sentence (static, without a full stop) that
 * says why this request cannot be sent to the backend. */
const char *copy_body_make(const struct copy_body_plan *plan, struct copy_body *ret) MUST_CHECK;
void copy_body_finish(struct copy_body *b);
