#pragma once
/*
 * date - days of the calendar as people write them. 03/04/2024 has two readings and never agrees
 * for certain with a date that is written in another way.
 */
#include <stdint.h>

#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

struct day {
	int32_t year, month, day; /* 0: not said */
};

struct date {
	struct day day;
	struct day other; /* the second reading; all 0: there is none */
	uint8_t weekday;  /* 1 to 7, Monday first; 0: not said */
};

/* The date that text begins with: ISO 8601, 5 January 2024, January 5th, 2024, Jan 2024,
 * 31/12/2024, with or without a weekday. Returns its bytes; 0: none, or no day of the calendar. */
size_t date_read(struct span text, struct date *ret);
/* Undecided: readings that overlap, or one that says less. */
enum agreement date_agreement(const struct date *a, const struct date *b);
