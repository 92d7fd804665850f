#pragma once
/*
 * asking - in which words an engine is asked for logprobs, and whether it is asked at all. Pure.
 */
#include <stdbool.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "answers/request.h"

#define ASKING_TOP "$TOP" /* stands for the number of alternatives */

struct asking {
	const struct member_edit *words; /* ended by a zero element; "$TOP" in values */
	const struct member_edit *extra; /* for token ids, beside them; or NULL */
	int top;                         /* as many as it gives */
};

/*
 * How to ask for top alternatives a token. copy: no client will see the answer. model: as it is
 * sent. False: the engine is believed to refuse it, or to give none.
 */
bool asking_logprobs(const struct dialect *d, enum endpoint endpoint,
        const struct request_facts *facts, const char *model, bool copy, int top,
        struct asking *ret) MUST_CHECK;

/* A word's value with the number in it, appended. */
void asking_put_value(const char *json, int top, struct buf *to);

/* What is special about this model, or NULL. */
const struct strict_models *asking_strict(const struct dialect *d, const char *model);
bool asking_is_named(const char *const *names, const char *name); /* names NULL: false */
