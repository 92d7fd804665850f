#pragma once
/*
 * member_writer - writes the members of a JSON object one after another, with commas. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/id.h"
#include "answers/request.h"

void member_key(struct buf *to, const char *key); /* writes the key, after a comma if needed */
/* Writes a value (after member_key()): a string of base64. */
void member_base64(struct buf *to, struct span s);
/* Writes a value (after member_key()): a string, or {"base64": ...} if s is not UTF-8. */
void member_bytes(struct buf *to, struct span s);
void member_text(struct buf *to, const char *key, const char *text); /* NULL gives null */
void member_string(struct buf *to, const char *key, struct span text);
/* The value is JSON text; for empty text nothing is written. */
void member_json(struct buf *to, const char *key, struct span json);
void member_u64(struct buf *to, const char *key, uint64_t value);
void member_i64(struct buf *to, const char *key, int64_t value, int64_t absent);
void member_time(struct buf *to, const char *key, uint64_t us); /* UINT64_MAX gives null */
void member_bool(struct buf *to, const char *key, bool value);
void member_number(struct buf *to, const char *key, double value); /* NaN gives null */
void member_id(struct buf *to, const char *key, struct id id);
void member_hash(struct buf *to, const char *key, const uint8_t hash[REQUEST_HASH_SIZE]);
/* Writes a list of the names of the bits that are set in marks. */
void member_marks(struct buf *to, const char *key, uint32_t marks, const char *(*name)(unsigned));
