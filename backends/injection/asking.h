#pragma once
/*
 * asking - how an engine is asked for logprobs, and whether it is asked at all. Pure.
 */
#include <stdbool.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "answers/request.h"

#define ASKING_TOP "$TOP" /* replaced by the number of alternatives */
/* the number of alternatives per token that plumbline asks for unless the user sets another one */
#define ASKING_TOP_DEFAULT 5

struct asking {
	const struct member_edit *words; /* ended by a zero element; values may contain "$TOP" */
	const struct member_edit *extra; /* additional words for token ids; or NULL */
	int top; /* alternatives per token: as wanted, but at most the engine's maximum */
};

/*
 * How to request `top` alternatives a token. copy: no client will see the answer. model: as sent.
 * False: the engine is believed to refuse, or to give none.
 */
bool asking_logprobs(const struct dialect *d, enum endpoint endpoint,
        const struct request_facts *facts, const char *model, bool copy, int top,
        struct asking *ret) MUST_CHECK;

/* Appends a word's value with the number filled in. */
void asking_put_value(const char *json, int top, struct buf *to);

/* What is special about this model, or NULL. */
const struct strict_models *asking_strict(const struct dialect *d, const char *model);
bool asking_is_named(const char *const *names, const char *name); /* names NULL: false */
