#pragma once
/*
 * differences_text - where the answers of an exchange differ, for people.
 */
#include "capture/capture.h"

/* Appends sentences that say where each answer first differs from the primary's, or from the
 * first answer if there is no primary's. readings: indexed by leg; NULL entries are left out. */
void differences_text_put(
        struct buf *to, const struct capture_exchange *e, struct reading **readings);
