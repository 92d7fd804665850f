#pragma once
/*
 * columns - the internals of the columns builder, for readers that get a token's alternatives
 * before the token.
 *
 * Rows are added first; the next token takes all rows that were added since the token before it.
 */
#include "answers/reading.h"

void columns_builder_row(struct columns_builder *b, struct span bytes, int32_t id, float lp);
/* Adds a token, which takes the rows; sets TOKEN_NOT_TOP and TOKEN_UNLISTED from them. */
void columns_builder_commit(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags);
void columns_builder_drop_rows(struct columns_builder *b); /* for rows without a token */
uint32_t columns_builder_count(const struct columns_builder *b);
uint32_t columns_builder_rows(const struct columns_builder *b); /* added since the last token */
void columns_builder_set_id(struct columns_builder *b, uint32_t token, int32_t id);
/* Keeps the first n tokens. */
void columns_builder_truncate(struct columns_builder *b, uint32_t n);
/* The logprob of the row with these bytes, among those added since the last token; NaN: none. */
float columns_builder_find_row(const struct columns_builder *b, struct span bytes);
/* States that the builder's numbers are not logprobs: all become missing at the end. */
void columns_builder_void(struct columns_builder *b);
/* True if most logprobs are exactly 0.0 without being certain: see READING_ZERO_LOGPROBS. */
bool columns_are_zeros(const struct columns *c);
/* Makes the logprobs that are exactly 0.0 missing, with the alternatives that contradict them. */
void columns_void_zeros(struct columns *c);
void columns_builder_destroy(struct columns_builder *b); /* NULL is fine */
