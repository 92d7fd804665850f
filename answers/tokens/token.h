#pragma once
/*
 * token - reads the parts of a token as engines write them, and adds tokens to columns.
 */
#include "answers/tokens/columns.h"
#include "answers/draft.h"

/* The columns to which tokens are added. */
struct token_sink {
	struct draft *d;
	struct columns_builder *b;
	bool of_prompt; /* irregular scores of the prompt do not mark the answer */
};

/* The columns of the answer's or the prompt's tokens; creates them if necessary. */
struct token_sink token_sink_answer(struct draft *d, struct draft_choice *c);
struct token_sink token_sink_prompt(struct draft *d, struct draft_choice *c);
void token_sink_mark(const struct token_sink *s, uint32_t mark); /* enum reading_mark */

/* token_logprob() reads a natural logarithm; token_log_of() reads a probability and returns its
 * logarithm. If the value is no measurement: NaN, and TOKEN_MISSING in *flags. */
float token_logprob(const struct token_sink *s, const struct json_token *t, uint8_t *flags);
float token_log_of(const struct token_sink *s, const struct json_token *prob, uint8_t *flags);
int32_t token_id(const struct json_token *t); /* -1: none */

/* A token's bytes, from its text; valid until the next token. vLLM's "token_id:1234" sets *id and
 * gives no bytes; other texts leave *id. Decodes OpenAI's escapes of broken characters
 * (bytes:\xe2\x80). */
struct span token_text(const struct token_sink *s, const struct json_token *t, int32_t *id);

/* Adds an alternative of the next token; drops it if there are too many or the limit is reached. */
void token_add_row(const struct token_sink *s, struct span bytes, int32_t id, float lp);
/* Adds the token; the alternatives since the previous token belong to it. */
void token_add(const struct token_sink *s, struct span bytes, int32_t id, float lp, uint8_t flags);
