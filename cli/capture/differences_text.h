#pragma once
/*
 * differences_text - describes to people where the answers of an exchange differ.
 */
#include "capture/capture.h"

/* Appends where each answer first differs from the primary's, or from that of the first leg if
 * there is no primary's. readings: indexed by leg; answers without a reading are left out. */
void differences_text_put(
        struct buf *to, const struct capture_exchange *e, struct reading **readings);
