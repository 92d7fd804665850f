#pragma once
/*
 * id - 16-byte identifiers: UUID version 7 (RFC 9562), so that they sort by time of creation.
 *
 * Any thread. Ids of one thread are strictly increasing, also within a microsecond and after the
 * wall clock went back; those of different threads sort by the wall clock to 244 ns.
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
/* The id at an offset of a key. */
struct id id_at(struct span bytes, size_t offset);

/* As memcmp(). Inline, because most calls only test for equality. */
static inline int id_compare(struct id a, struct id b)
{
	return memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}

static inline bool id_is_zero(struct id id)
{
	return id_compare(id, (struct id){0}) == 0;
}

const char *id_format(struct id id, char text[ID_TEXT_SIZE]);
bool id_parse(const char *text, struct id *ret_id) MUST_CHECK; /* dashes may be left out */

/* The last digits, which are random, for people to type: ids of one second begin alike. */
#define ID_SHORT_SIZE 9
const char *id_format_short(struct id id, char text[ID_SHORT_SIZE]);
/* True if the text can be part of an id: 4 to 32 hex digits, with or without dashes. */
bool id_is_part(const char *text);
/* True if the id begins or ends with these digits, one or more. */
bool id_matches(struct id id, const char *text);
