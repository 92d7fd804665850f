#pragma once
/*
 * logprobs - reads the logprobs of an answer's tokens, in every form that engines send, into token
 * columns.
 *
 * What makes no sense is dropped and marked READING_MALFORMED_LOGPROBS; the rest is kept.
 */
#include "answers/tokens/token.h"

/* A choice's "logprobs", whose first JSON token is passed; j is then after it. */
void logprobs_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* A list of entries like {token, logprob, bytes, id, top_logprobs}; j as above. */
void logprobs_read_entries(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* Marks the answer if one of these is neither a list nor null. */
void logprobs_check_lists(struct draft *d, struct span list, struct span tops);
/* TGI, streamed: the list of a token's alternatives, whose first JSON token is passed; then the
 * token itself, {id, text, logprob}. Of several lists before it the last one counts. */
void logprobs_read_alternatives(
        const struct token_sink *s, struct json *j, const struct json_token *first);
void logprobs_read_token(const struct token_sink *s, struct span entry);
/* TGI: a list of {id, text, logprob}, and a parallel list (or empty) of lists of alternatives. */
void logprobs_read_beside(const struct token_sink *s, struct span entries, struct span tops);
/* SGLang and LMDeploy: a list of [logprob, id, text or null], and a parallel list (or empty) of
 * lists of such; from element `from` on. */
void logprobs_read_triples(
        const struct token_sink *s, struct span triples, struct span tops, uint32_t from);
/* vLLM's prompt_logprobs: a list of null or {"id": {logprob, rank, decoded_token}, ...}, with the
 * prompt's own token first. */
void logprobs_read_prompt(struct draft *d, struct draft_choice *c, struct span list);
/* "prompt_token_ids": ids of the prompt's tokens. Without scores they are all that is known. */
void logprobs_read_prompt_ids(struct draft *d, struct draft_choice *c, struct span list);
/* "token_ids" beside the logprobs: ids of the tokens from number `from` on, if their number
 * matches. */
void logprobs_read_ids(struct draft *d, struct draft_choice *c, uint32_t from, struct span list);
/* As logprobs_read_ids(), from triples. */
void logprobs_read_triple_ids(
        struct draft *d, struct draft_choice *c, uint32_t from, struct span triples);
