#pragma once
/*
 * redact_beginnings - finds secrets in the events of a stream that sends all text so far in each
 * event. Only later events have the whole secret; earlier ones have its beginning, which is private
 * too. For redact.c only.
 */
#include "capture/privacy/redact_pieces.h"
#include "capture/privacy/redact_ranges.h"

/* group: the n pieces whose texts together are `text`, in order, with text_at and text_len set. */
void redact_beginnings_find(
        struct redact_ranges *f, struct span text, struct piece *const *group, size_t n);
