#pragma once
/*
 * logprobs - the "logprobs" value of a choice, in every form that engines send, to token columns.
 */
#include "reading/draft.h"

/* Reads the value whose first token was given; j is after it then. */
void logprobs_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* "token_ids" beside it: ids of the tokens from number `from` on, if there are as many as were
 * read. */
void logprobs_read_ids(struct draft *d, struct draft_choice *c, uint32_t from, struct span list);
