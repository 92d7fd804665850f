#pragma once
/*
 * score_match - finds for each token of an answer the token that has its score.
 *
 * By ids if both sides have them, else by place: tokens belong together if they begin and end at
 * the same byte of the answer. Redacted scores are matched up to the first token that the scorer
 * split differently. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/scoring/score_request.h"
#include "base/buf.h"
#include "answers/reading.h"

#define SCORE_NONE UINT32_MAX

/*
 * Appends the bytes that the engine generated, up to the first broken character:
 * - if there is reasoning, a call or a refusal beside the text: the bytes of all tokens; if a token
 *   is missing, the text, and the function returns false: this is not all that was generated;
 * - else, if the tokens spell the text: their bytes up to the end of the text, because the engine
 *   may have trimmed the text at the front;
 * - else the text.
 */
bool score_answer_text(const struct reading *r, const struct choice *c, struct buf *to);

/*
 * Matches the tokens from `from` to `to` (exclusive) of c with the text, the first one at byte
 * `at`. ret_at[i - from] is the offset of token i in the text; SCORE_NONE: it has no bytes, does
 * not match, or is after the end. Skips broken characters, which tokens may lack. Returns the
 * number of matched bytes of the text.
 */
size_t score_match_bytes(const struct columns *c, uint32_t from, uint32_t to, struct span text,
        size_t at, uint32_t *ret_at);

/*
 * Sets ret[i] for each token i of the answer's columns: the index of its scored token, or
 * SCORE_NONE. ret must have answer->columns.n places. Returns how many tokens have a scored token;
 * 0, and ret is not set, if the answer has no columns, or fewer tokens were scored than *place
 * says.
 */
uint32_t score_match(const struct reading *r, const struct choice *answer,
        const struct score_place *place, uint32_t *ret);
