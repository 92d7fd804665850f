#pragma once
/*
 * record_json - writes the values of records as members of JSON objects, in the form of
 * docs/format.md. Pure. key: as in base/json_writer.h.
 */
#include "answers/request.h"
#include "base/id.h"
#include "base/json_writer.h"

/* A string, or {"base64": "..."} if s is not UTF-8. */
void record_json_bytes(struct json_writer *w, const char *key, struct span s);
void record_json_text(struct json_writer *w, const char *key, const char *text); /* NULL: null */
/* null if value is `absent`. */
void record_json_integer(struct json_writer *w, const char *key, int64_t value, int64_t absent);
void record_json_time(struct json_writer *w, const char *key, uint64_t us); /* UINT64_MAX: null */
/* Zero ids and hashes are null. */
void record_json_id(struct json_writer *w, const char *key, struct id id);
void record_json_hash(
        struct json_writer *w, const char *key, const uint8_t hash[REQUEST_HASH_SIZE]);
/* A list of the names of the bits that are set in marks; a bit without a name is "bit_N". */
void record_json_marks(
        struct json_writer *w, const char *key, uint32_t marks, const char *(*name)(unsigned));
/* A string of base64. */
void record_json_base64(struct json_writer *w, const char *key, struct span s);
