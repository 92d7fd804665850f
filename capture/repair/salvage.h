#pragma once
/*
 * salvage - a new capture made of rows of another one: of what is whole in a damaged one, or of one that is
 * written anew. One thread.
 */
#include <stdint.h>

#include "capture/segment.h"

struct salvage;

/*
 * Makes dir a capture with the hash key of the one at from. Refused in a sentence (*ret_error, the
 * caller frees it) if dir holds anything already.
 */
int salvage_create(
        const char *dir, const char *from, struct salvage **ret, char **ret_error) MUST_CHECK;
/* Of the segments that are begun from now on: bytes, at least SALVAGE_SEGMENT_LEAST; 1 GiB. */
#define SALVAGE_SEGMENT_LEAST ((uint64_t)128 << 20)
void salvage_set_segment_size(struct salvage *s, uint64_t size);
/* A whole row of the exchange, leg, part or meta table, as it was stored. A row that is there already is
 * passed over. */
int salvage_row(
        struct salvage *s, enum segment_table t, struct span key, struct span value) MUST_CHECK;
/* Commits and seals. Also after an error of salvage_row(): what was committed before stays. */
int salvage_end(struct salvage *s) MUST_CHECK;
uint64_t salvage_rows(const struct salvage *s);
void salvage_destroy(struct salvage *s);
