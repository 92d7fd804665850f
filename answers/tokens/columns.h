#pragma once
/*
 * columns - more functions of the columns builder, for readers that get a token's alternatives
 * before the token.
 *
 * Such a reader first adds rows, one for each alternative. The next token owns all rows since the
 * previous token.
 */
#include "answers/reading.h"

void columns_builder_row(struct columns_builder *b, struct span bytes, int32_t id, float lp);
/* Adds a token, which owns the rows since the previous token, and sets TOKEN_NOT_TOP and
 * TOKEN_UNLISTED from them. */
void columns_builder_commit(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags);
void columns_builder_drop_rows(struct columns_builder *b); /* drops the rows since the last token */
uint32_t columns_builder_count(const struct columns_builder *b); /* the number of tokens */
size_t columns_builder_bytes(const struct columns_builder *b);   /* the bytes of all tokens */
/* The number of rows since the last token. */
uint32_t columns_builder_rows(const struct columns_builder *b);
void columns_builder_set_id(struct columns_builder *b, uint32_t token, int32_t id);
/* Keeps the first n tokens and their rows. */
void columns_builder_truncate(struct columns_builder *b, uint32_t n);
/* The logprob of the row with these bytes, of the rows since the last token; NaN: there is none. */
float columns_builder_find_row(const struct columns_builder *b, struct span bytes);
/* True if there are n rows since the last token, n is above 0, and they equal the n rows before
 * them. */
bool columns_builder_repeats_rows(const struct columns_builder *b);
/* For numbers that are not logprobs: columns_builder_end() will make all of them missing. */
void columns_builder_drop_logprobs(struct columns_builder *b);
/* True if the conditions of READING_ZERO_LOGPROBS hold. */
bool columns_are_zeros(const struct columns *c);
/* Makes logprobs of exactly 0.0 missing if alternatives are absent or contradict them, and then
 * also the alternatives' logprobs. */
void columns_drop_zeros(struct columns *c);
void columns_builder_destroy(struct columns_builder *b); /* NULL is fine */
