#pragma once
/*
 * record_columns - token columns as a msgpack map of bins; internal to the record module.
 */
#include "capture/record_field.h"
#include "answers/reading.h"

/* Stored little-endian words in an array of the arena, never NULL; what is left of a word is left out. */
uint32_t *record_words(struct arena *a, struct span s);
/* text: what the tokens may spell, and need not be written then; it is to be the same when they are read. */
void record_put_columns(msgpack_packer *pk, const struct columns *c, struct span text);
/* 0 or -EBADMSG. The columns lie in the arena, but for the tokens' bytes where they are the text's. */
int record_get_columns(
        struct packed *value, struct span text, struct arena *a, struct columns *c) MUST_CHECK;
