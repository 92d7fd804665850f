#pragma once
/*
 * token - the parts of a token as engines write them: checked, counted, and added to columns.
 */
#include "answers/tokens/columns.h"
#include "answers/draft.h"

/* The columns that tokens are added to. */
struct token_sink {
	struct draft *d;
	struct columns_builder *b;
	bool of_prompt; /* irregular scores of the prompt do not mark the answer */
};

/* Creates the columns if necessary. */
struct token_sink token_sink_answer(struct draft *d, struct draft_choice *c);
struct token_sink token_sink_prompt(struct draft *d, struct draft_choice *c);
void token_sink_mark(const struct token_sink *s, uint32_t mark); /* enum reading_mark */

/* A natural log, or the log of a probability. NaN and TOKEN_MISSING for what is not a
 * measurement. */
float token_logprob(const struct token_sink *s, const struct json_token *t, uint8_t *flags);
float token_log_of(const struct token_sink *s, const struct json_token *prob, uint8_t *flags);
int32_t token_id(const struct json_token *t); /* -1: none */

/*
 * A token's bytes from its text, valid until the next token. vLLM's "token_id:1234" gives an id and
 * no bytes; OpenAI's escapes of broken characters (bytes:\xe2\x80) are decoded.
 */
struct span token_text(const struct token_sink *s, const struct json_token *t, int32_t *id);

/* Adds an alternative of the next token. Dropped if there are too many or the limit is reached. */
void token_add_row(const struct token_sink *s, struct span bytes, int32_t id, float lp);
/* Adds the token, which takes the alternatives before it. */
void token_add(const struct token_sink *s, struct span bytes, int32_t id, float lp, uint8_t flags);
