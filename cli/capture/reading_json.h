#pragma once
/*
 * reading_json - appends a reading (what an answer says) as JSON, in the form of docs/format.md.
 */
#include "base/buf.h"
#include "answers/reading.h"

void reading_json_put(struct buf *to, const struct reading *r);
void reading_json_usage(struct buf *to, const struct usage *u); /* the member "usage" */
