#pragma once
/*
 * id - 16-byte identifiers: UUIDs of version 7 (RFC 9562), which sort by their time of creation.
 *
 * Any thread. The ids of one thread strictly increase, even within one microsecond and after the
 * wall clock went back. Ids of different threads sort by the wall clock, to 244 ns.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"

#define ID_TEXT_SIZE 37 /* 8-4-4-4-12 hex digits and a NUL */

struct id {
	uint8_t bytes[16];
};

struct id id_make(void);
uint64_t id_time_ms(struct id id); /* milliseconds since 1970 */
/* The id in the 16 bytes at offset, which must be there. */
struct id id_at(struct span bytes, size_t offset);

/* Returns as memcmp() does. Inline, because most callers only test for equality. */
static inline int id_compare(struct id a, struct id b)
{
	return memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}

static inline bool id_is_zero(struct id id)
{
	return id_compare(id, (struct id){0}) == 0;
}

const char *id_format(struct id id, char text[ID_TEXT_SIZE]);  /* returns text */
bool id_parse(const char *text, struct id *ret_id) MUST_CHECK; /* with or without dashes */

/* A short form for people to type: the last 8 digits. They are random; the first digits are
 * equal in all ids of about the same time. */
#define ID_SHORT_SIZE 9
const char *id_format_short(struct id id, char text[ID_SHORT_SIZE]);
/* True if the text can be part of an id: 4 to 32 hex digits, with or without dashes. */
bool id_is_part(const char *text);
/* True if the id begins or ends with these digits, one or more. */
bool id_matches(struct id id, const char *text);
