#pragma once
/*
 * asking - how plumbline asks an engine for logprobs, and whether the engine gives them. inject.h
 * says which requests are left as they are. Pure.
 */
#include <stdbool.h>

#include "backends/dialects/dialect.h"
#include "base/buf.h"
#include "answers/request.h"

#define ASKING_TOP "$TOP" /* stands for the number of alternatives */
/* the alternatives per token that plumbline requests unless the user sets another number */
#define ASKING_TOP_DEFAULT 5

struct asking {
	/* members to set; a zero element ends the list; values may contain "$TOP" */
	const struct member_edit *words;
	const struct member_edit *extra; /* more members, for token ids; or NULL */
	int top; /* alternatives per token: as requested, but at most the engine's maximum */
};

/*
 * Sets *ret to the members that request `top` alternatives per token. copy: no client will see the
 * answer. model: as sent. False: as far as plumbline knows, the engine refuses such a request, or
 * gives no logprobs.
 */
bool asking_logprobs(const struct dialect *d, enum endpoint endpoint,
        const struct request_facts *facts, const char *model, bool copy, int top,
        struct asking *ret) MUST_CHECK;

/* Appends the value of a member with the number in place of "$TOP". */
void asking_put_value(const char *json, int top, struct buf *to);

/* The restrictions of this model, or NULL. */
const struct strict_models *asking_strict(const struct dialect *d, const char *model);
bool asking_is_named(const char *const *names, const char *name); /* names NULL: false */
