#pragma once
/*
 * score_match - which token of an answer is which scored token.
 *
 * By ids where both sides have them, else by place: a position counts where a token begins and ends
 * at the same byte of the answer on both sides. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/scoring/score.h"
#include "base/buf.h"
#include "answers/reading.h"

#define SCORE_NONE UINT32_MAX

/*
 * The bytes that were generated: those of the tokens up to the text's end where they spell it (an
 * engine may have trimmed the text), else the text. Where reasoning, calls or a refusal lie beside
 * the text: all tokens, if none is lost. Up to the first broken character, in either case. Appended.
 * False: they are not all of the generation.
 */
bool score_answer_text(const struct reading *r, const struct choice *c, struct buf *to);

/*
 * Puts tokens from..to of c on the text, the first one at byte `at`: ret_at[i - from] is where
 * token i begins, or SCORE_NONE for what has no bytes, does not fit or lies behind the end. Broken
 * characters, which tokens may lack, are passed over. Returns the bytes covered.
 */
size_t score_lay(const struct columns *c, uint32_t from, uint32_t to, struct span text, size_t at,
        uint32_t *ret_at);

/*
 * For each token of the answer's columns the number of the scored token, or SCORE_NONE; ret has
 * answer->columns.n places. Returns how many have one.
 */
uint32_t score_match(const struct reading *r, const struct choice *answer,
        const struct score_place *place, uint32_t *ret);
