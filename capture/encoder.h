#pragma once
/*
 * encoder - converts an item to the values that the writer stores: applies the privacy filter,
 * cuts, compresses and adds checksums. It also makes the leg's reading.
 */
#include "capture/queue.h"

struct privacy_filter;

/* pressed (the queue is too full): bytes are stored uncompressed, and no reading of the leg is
 * made. One thread per owner. */
void encoder_encode(struct item *i, bool pressed, struct privacy_filter *filter);

/*
 * Frees what an encoded item no longer needs. It is separate from encoder_encode() because event
 * loops allocated this memory: free() may take a lock of theirs, which a thread at idle priority
 * must not hold.
 */
void encoder_release(struct item *i);
