#pragma once
/*
 * logprobs - reads the logprobs of an answer's tokens into token columns, in every form that
 * engines send.
 *
 * It drops what makes no sense, marks the draft READING_MALFORMED_LOGPROBS, and keeps the rest. The
 * functions with a struct json read the value that begins with the token first, and move j past it.
 */
#include "answers/tokens/token.h"

/* Reads a choice's "logprobs". */
void logprobs_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* Reads a list of entries {token, logprob, bytes, id, top_logprobs}. */
void logprobs_read_entries(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* Marks the draft if one of the two values is neither a list nor null. */
void logprobs_check_lists(struct draft *d, struct span list, struct span tops);
/* TGI, streamed: first the list of a token's alternatives, then the token itself, {id, text,
 * logprob}. If several lists come before a token, the last one counts. */
void logprobs_read_alternatives(
        const struct token_sink *s, struct json *j, const struct json_token *first);
void logprobs_read_token(const struct token_sink *s, struct span entry);
/* TGI: a list of {id, text, logprob}, and a parallel list (or empty) of lists of alternatives. */
void logprobs_read_parallel(const struct token_sink *s, struct span entries, struct span tops);
/* SGLang and LMDeploy: a list of triples [logprob, id, text or null], and a parallel list (or
 * empty) of lists of such triples. Reads from element `from` on. */
void logprobs_read_triples(
        const struct token_sink *s, struct span triples, struct span tops, uint32_t from);
/* vLLM's prompt_logprobs: a list of null or {"id": {logprob, rank, decoded_token}, ...}, with the
 * prompt's own token first. */
void logprobs_read_prompt(struct draft *d, struct draft_choice *c, struct span list);
/* "prompt_token_ids": the ids of the prompt's tokens. If the answer has no scores of the prompt,
 * adds tokens that have only an id. Ignored if there are scores of another number of tokens. */
void logprobs_read_prompt_ids(struct draft *d, struct draft_choice *c, struct span list);
/* "token_ids" next to the logprobs: the ids of the tokens from index `from` on. Ignored unless the
 * list has one id for each of these tokens. */
void logprobs_read_ids(struct draft_choice *c, uint32_t from, struct span list);
/* As logprobs_read_ids(), with the ids in a list of triples. */
void logprobs_read_triple_ids(struct draft_choice *c, uint32_t from, struct span triples);
