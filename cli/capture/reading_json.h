#pragma once
/*
 * reading_json - a reading as JSON, in the form of docs/format.md.
 */
#include "base/buf.h"
#include "answers/reading.h"

void reading_json_put(struct buf *to, const struct reading *r);
void reading_json_usage(struct buf *to, const struct usage *u); /* a member */
/* The word for a place of the reasoning. */
const char *reading_json_place(enum reasoning_place place);
