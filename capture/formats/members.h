#pragma once
/*
 * members - writes the members of a JSON object one after another, with commas.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/id.h"
#include "answers/request.h"

void member_key(struct buf *to, const char *key); /* with a comma before it if needed */
/* A value: a string of base64. */
void member_base64(struct buf *to, struct span s);
/* A value: a string, or {"base64": ...} for what is not UTF-8. */
void member_bytes(struct buf *to, struct span s);
void member_text(struct buf *to, const char *key, const char *text); /* NULL: null */
void member_u64(struct buf *to, const char *key, uint64_t value);
void member_i64(struct buf *to, const char *key, int64_t value, int64_t absent);
void member_time(struct buf *to, const char *key, uint64_t us); /* UINT64_MAX: null */
void member_bool(struct buf *to, const char *key, bool value);
void member_number(struct buf *to, const char *key, double value); /* NaN: null */
void member_id(struct buf *to, const char *key, struct id id);
void member_hash(struct buf *to, const char *key, const uint8_t hash[REQUEST_HASH_SIZE]);
/* A list of the names of the set bits. */
void member_marks(struct buf *to, const char *key, uint32_t marks, const char *(*name)(unsigned));
