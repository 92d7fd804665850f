#pragma once
/*
 * record_columns - token columns as a msgpack map of bins; internal to the record module.
 */
#include "capture/record_field.h"
#include "reading/reading.h"

/* Stored little-endian words in an array of their own, never NULL; what is left of a word is left out. */
uint32_t *record_words(struct span s);
/* text: what the tokens may spell, and need not be written then; it is to be the same when they are read. */
void record_put_columns(msgpack_packer *pk, const struct columns *c, struct span text);
/* 0 or -EBADMSG; in either case the columns can and must be finished with columns_finish(). */
int record_get_columns(struct packed *value, struct span text, struct columns *c) MUST_CHECK;
