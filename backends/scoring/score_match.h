#pragma once
/*
 * score_match - maps the tokens of an answer to scored tokens.
 *
 * By ids if both sides have them, else by place: a position counts if a token begins and ends at
 * the same byte of the answer on both sides. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/scoring/score.h"
#include "base/buf.h"
#include "answers/reading.h"

#define SCORE_NONE UINT32_MAX

/* True if the engine did not send the token's bytes: it has none, or replacement characters. */
bool score_token_is_broken(struct span token);

/*
 * Appends the bytes that the engine generated. Normally these are the bytes of the tokens up to the
 * text's end if the tokens spell the text (an engine may have trimmed it), else the text. If there
 * is reasoning, calls or a refusal beside the text, they are the bytes of all tokens, if no token
 * is lost. In each case only up to the first broken character. False: the bytes are not the whole
 * generation.
 */
bool score_answer_text(const struct reading *r, const struct choice *c, struct buf *to);

/*
 * Matches tokens from..to of c with the text, the first one at byte `at`. ret_at[i - from] is the
 * start of token i, or SCORE_NONE if it has no bytes, does not match or is after the end. Broken
 * characters, which tokens may lack, are skipped. Returns the number of bytes covered.
 */
size_t score_lay(const struct columns *c, uint32_t from, uint32_t to, struct span text, size_t at,
        uint32_t *ret_at);

/*
 * Sets ret[i] for each token i of the answer's columns: the number of its scored token, or
 * SCORE_NONE. ret has answer->columns.n places. Returns how many tokens have a scored token.
 */
uint32_t score_match(const struct reading *r, const struct choice *answer,
        const struct score_place *place, uint32_t *ret);
