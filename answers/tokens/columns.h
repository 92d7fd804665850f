#pragma once
/*
 * columns - the inside of the columns builder, for those who learn a token's alternatives before
 * the token.
 *
 * Rows are added first, then the token that they belong to takes all rows added since the token
 * before it.
 */
#include "answers/reading.h"

void columns_builder_row(struct columns_builder *b, struct span bytes, int32_t id, float lp);
/* Takes the rows; works out TOKEN_NOT_TOP and TOKEN_UNLISTED from them. */
void columns_builder_commit(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags);
void columns_builder_drop_rows(struct columns_builder *b); /* rows whose token did not come */
uint32_t columns_builder_count(const struct columns_builder *b);
uint32_t columns_builder_rows(const struct columns_builder *b); /* added since the last token */
void columns_builder_set_id(struct columns_builder *b, uint32_t token, int32_t id);
/* Keeps the first n tokens. */
void columns_builder_truncate(struct columns_builder *b, uint32_t n);
/* The logprob of the row with these bytes, of those added since the last token; NaN: none. */
float columns_builder_find_row(const struct columns_builder *b, struct span bytes);
/* Its numbers are no logprobs: in the end all are missing. */
void columns_builder_void(struct columns_builder *b);
/* Most logprobs are exactly 0.0 without being sure: see READING_ZERO_LOGPROBS. */
bool columns_are_zeros(const struct columns *c);
/* Those become missing, with the alternatives that deny them. */
void columns_void_zeros(struct columns *c);
void columns_builder_destroy(struct columns_builder *b); /* NULL is fine */
