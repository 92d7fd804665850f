#pragma once
/*
 * date - a day of the calendar as people write it: 2024-01-05, 5 January 2024, January 5th, 2024,
 * 31/12/2024. One with two readings, as 03/04/2024, is not read.
 */
#include <stdint.h>

#include "base/buf.h"

struct date {
	int32_t year, month, day;
};

/* False: the text is not a day with its year, and nothing else. */
bool date_read(struct span text, struct date *ret);
