#pragma once
/*
 * logprobs - the scores of an answer's tokens, in every form that engines send, to token columns.
 *
 * What makes no sense is left out and marked READING_MALFORMED_LOGPROBS; the rest is kept.
 */
#include "answers/tokens/token.h"

/* A choice's "logprobs" whose first token was given; j is after it then. */
void logprobs_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* A list of entries: {token, logprob, bytes, id, top_logprobs} and their kin; likewise. */
void logprobs_read_entries(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* Members that should be lists beside one another, or null: marked if one is something else. */
void logprobs_check_lists(struct draft *d, struct span list, struct span tops);
/* TGI's streamed: the list of a token's alternatives, whose first token was given; then the token
 * itself, {id, text, logprob}. Of several lists before it the last counts. */
void logprobs_read_alternatives(
        const struct token_sink *s, struct json *j, const struct json_token *first);
void logprobs_read_token(const struct token_sink *s, struct span entry);
/* TGI's: a list of {id, text, logprob}, and beside it (or empty) one of lists of alternatives. */
void logprobs_read_beside(const struct token_sink *s, struct span entries, struct span tops);
/* SGLang's and LMDeploy's: a list of [logprob, id, text or null], and beside it (or empty) one of
 * lists of such; from that element on. */
void logprobs_read_triples(
        const struct token_sink *s, struct span triples, struct span tops, uint32_t from);
/* vLLM's prompt_logprobs: a list of null or {"id": {logprob, rank, decoded_token}, ...}, the
 * prompt's own token first. */
void logprobs_read_prompt(struct draft *d, struct draft_choice *c, struct span list);
/* "prompt_token_ids": ids of the prompt's tokens; without scores these are all that is known. */
void logprobs_read_prompt_ids(struct draft *d, struct draft_choice *c, struct span list);
/* "token_ids" beside the logprobs: ids of the tokens from number `from` on, if there are as many as
 * were read. */
void logprobs_read_ids(struct draft *d, struct draft_choice *c, uint32_t from, struct span list);
/* The same from triples. */
void logprobs_read_triple_ids(
        struct draft *d, struct draft_choice *c, uint32_t from, struct span triples);
