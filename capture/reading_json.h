#pragma once
/*
 * reading_json - writes a reading (what an answer says) as JSON, in the form of docs/format.md.
 * Pure. key: as in base/json_writer.h.
 */
#include "answers/reading.h"
#include "base/json_writer.h"

void reading_json_put(struct json_writer *w, const char *key, const struct reading *r);
void reading_json_usage(struct json_writer *w, const struct usage *u); /* the member "usage" */
