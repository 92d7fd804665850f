#pragma once
/*
 * encoder - turns an item into the values that the writer stores: cut, compressed, checksummed; and
 * the leg's reading. What the veil does not let through is gone before.
 */
#include "capture/queue.h"

struct veil;

/* pressed: stored raw, and the leg is left unread. One thread an owner. */
void encoder_encode(struct item *i, bool pressed, struct veil *veil);
