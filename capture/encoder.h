#pragma once
/*
 * encoder - converts an item to the values that the writer stores: applies the privacy filter,
 * divides the bytes into values, compresses them and adds checksums. It also makes the leg's
 * reading.
 */
#include "capture/queue.h"

struct privacy_filter;

/* Only one thread may encode the items of one owner. under_pressure: the queue is too full, so
 * bytes are stored uncompressed and the leg stays unread. */
void encoder_encode(struct item *i, bool under_pressure, struct privacy_filter *filter);

/*
 * Frees memory that an encoded item no longer needs. Event loops allocated it, and free() may take
 * a lock of theirs, which a thread at idle priority must not hold. So the caller calls it
 * separately from encoder_encode().
 */
void encoder_release(struct item *i);
