#pragma once
/*
 * record_columns - encodes and decodes token columns (answers/tokens) as a msgpack map of binary
 * values. For the record module only.
 */
#include "capture/record_field.h"
#include "answers/reading.h"

/* Copies stored little-endian 32-bit words into an array of the arena; never NULL. Drops an
 * incomplete last word. */
uint32_t *record_words(struct arena *a, struct span s);
/* text: if it equals the joined tokens, their bytes are not written; record_get_columns() must
 * then get the same text. */
void record_put_columns(msgpack_packer *pk, const struct columns *c, struct span text);
/* Returns 0 or -EBADMSG. The columns are in the arena; token bytes not written point into text. */
int record_get_columns(
        struct packed *value, struct span text, struct arena *a, struct columns *c) MUST_CHECK;
