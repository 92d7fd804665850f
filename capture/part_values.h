#pragma once
/*
 * part_values - divides the bytes of a part into the values that a segment stores, compresses each
 * value and adds its checksum.
 */
#include "capture/record.h"

/* Appends the values, one after another; record_stored_size() gives the size of each. */
void part_values_append(struct buf *to, struct span bytes, enum record_packing packing);
