#pragma once
/*
 * encoder - turns an item into the values that the writer stores: cut, compressed, checksummed; and
 * the leg's reading. What the privacy filter does not let through is gone before.
 */
#include "capture/queue.h"

struct privacy_filter;

/* pressed: bytes are stored uncompressed, and the leg is left unread. One thread an owner. */
void encoder_encode(struct item *i, bool pressed, struct privacy_filter *filter);

/*
 * Frees what an encoded item no longer needs. Apart from encoder_encode(), because event loops
 * allocated it: free() may take a lock of theirs, which a thread at idle priority must not hold.
 */
void encoder_release(struct item *i);
