#pragma once
/*
 * encoder - converts an item (queue.h) to the values that the writer stores: applies the privacy
 * filter, divides the bytes into values, compresses them and adds checksums. It also makes the
 * leg's reading. Values go to i->values and i->body.
 */
#include "capture/recorder/queue.h"

struct privacy_filter;

/* One thread must encode all items of one owner. under_pressure: the queue is too full, so bytes
 * are stored uncompressed and the leg stays unread. */
void encoder_encode(struct item *i, bool under_pressure, struct privacy_filter *filter);

/*
 * Frees memory that an encoded item no longer needs; call it after encoder_encode(), when the
 * thread is no longer at idle priority (priority.h). Event loops allocated this memory, so free()
 * may take a lock that they wait for.
 */
void encoder_release(struct item *i);
