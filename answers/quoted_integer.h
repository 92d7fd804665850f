#pragma once
/* quoted_integer - reads a whole number that may be in quotation marks. Pure. */
#include "base/json.h"

/* As json_token_integer(), also for a string that has only a number. */
static inline bool quoted_integer(const struct json_token *t, int64_t *ret)
{
	struct span text = json_token_raw(t);
	struct json_token quoted = {JSON_TOKEN_NUMBER, false, text.data, text.len};
	return json_token_integer(t->type == JSON_TOKEN_STRING ? &quoted : t, ret);
}
