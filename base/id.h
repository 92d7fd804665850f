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
/* Its bytes within a key, which must have them. */
struct id id_at(struct span bytes, size_t offset);

/* As memcmp. Here, as mostly all that is asked is whether they are the same, which is told by two words. */
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

/* The last digits, which are random: what people type. Ids of one second begin alike. */
#define ID_SHORT_SIZE 9
const char *id_format_short(struct id id, char text[ID_SHORT_SIZE]);
/* Can the text stand for an id: 4 to 32 hex digits, with dashes or without? */
bool id_is_part(const char *text);
/* Does the id begin or end with these digits, one or more? */
bool id_matches(struct id id, const char *text);
