#include "base/id.h"

#include <sodium.h>

#include "base/ascii.h"
#include "base/clock.h"

#define IDS_AT_ONCE 32
#define PART_MIN 4

/*
 * RFC 9562, 6.2 method 3: the 12 bits after the milliseconds are a fraction of a millisecond, in
 * units of 244 ns, so that ids sort across threads too. A thread that makes ids faster than that,
 * or whose clock went back, increments its last value. The random bits keep ids of threads and
 * processes distinct.
 */
struct id id_make(void)
{
	static _Thread_local uint64_t last;
	static _Thread_local struct id
	        stock[IDS_AT_ONCE]; /* random bytes, read from the kernel at once */
	static _Thread_local unsigned left;

	uint64_t ns = clock_wall();
	uint64_t ticks = (ns / 1000000u) << 12 | ((ns % 1000000u) << 12) / 1000000u;
	last = ticks > last ? ticks : last + 1;

	if (left == 0) {
		randombytes_buf(stock, sizeof(stock));
		left = IDS_AT_ONCE;
	}
	struct id id = stock[--left];
	for (int i = 0; i < 6; i++) {
		id.bytes[i] = (uint8_t)(last >> (52 - 8 * i));
	}
	id.bytes[6] = (uint8_t)(0x70 | (last >> 8 & 0xf));
	id.bytes[7] = (uint8_t)last;
	id.bytes[8] = (uint8_t)(0x80 | (id.bytes[8] & 0x3f));
	return id;
}

uint64_t id_time_ms(struct id id)
{
	uint64_t ms = 0;
	for (int i = 0; i < 6; i++) {
		ms = ms << 8 | id.bytes[i];
	}
	return ms;
}

struct id id_at(struct span bytes, size_t offset)
{
	struct id id;
	expect(bytes.len >= offset + sizeof(id.bytes));
	memcpy(id.bytes, bytes.data + offset, sizeof(id.bytes));
	return id;
}

const char *id_format(struct id id, char text[ID_TEXT_SIZE])
{
	char *p = text;
	for (size_t i = 0; i < sizeof(id.bytes); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10) {
			*p++ = '-';
		}
		*p++ = HEX_DIGITS[id.bytes[i] >> 4];
		*p++ = HEX_DIGITS[id.bytes[i] & 0xf];
	}
	*p = '\0';
	return text;
}

bool id_parse(const char *text, struct id *ret_id)
{
	struct id id = {0};
	size_t digits = 0;
	for (; *text; text++) {
		if (*text == '-') {
			continue;
		}
		int value = hex_digit(*text);
		if (value < 0 || digits == 2 * sizeof(id.bytes)) {
			return false;
		}
		id.bytes[digits / 2] = (uint8_t)(id.bytes[digits / 2] << 4 | value);
		digits++;
	}
	if (digits != 2 * sizeof(id.bytes)) {
		return false;
	}
	*ret_id = id;
	return true;
}

const char *id_format_short(struct id id, char text[ID_SHORT_SIZE])
{
	char whole[ID_TEXT_SIZE];
	id_format(id, whole);
	memcpy(text, whole + ID_TEXT_SIZE - ID_SHORT_SIZE, ID_SHORT_SIZE);
	return text;
}

/* Returns the digits without dashes, in lower case; 0: it is no part of an id. */
static size_t digits_of(const char *text, char ret[2 * sizeof(struct id)])
{
	size_t n = 0;
	for (; *text; text++) {
		int value = hex_digit(*text);
		if (*text == '-' && n > 0) {
			continue;
		}
		if (value < 0 || n == 2 * sizeof(struct id)) {
			return 0;
		}
		ret[n++] = HEX_DIGITS[value];
	}
	return n;
}

bool id_is_part(const char *text)
{
	char digits[2 * sizeof(struct id)];
	return digits_of(text, digits) >= PART_MIN;
}

bool id_matches(struct id id, const char *text)
{
	char whole[ID_TEXT_SIZE], bare[2 * sizeof(struct id)], digits[2 * sizeof(struct id)];
	size_t n = digits_of(text, digits);
	(void)digits_of(id_format(id, whole), bare);
	return n > 0 &&
	       (memcmp(bare, digits, n) == 0 || memcmp(bare + sizeof(bare) - n, digits, n) == 0);
}
