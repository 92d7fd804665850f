#pragma once
/*
 * part_values - bytes of a part as the values that a segment stores: cut, packed and checksummed, one behind the other.
 */
#include "capture/record.h"

/* Appends the values of so many bytes; record_stored_size() tells where each ends. */
void part_values_append(struct buf *to, struct span bytes, enum record_packing packing);
