#pragma once
/*
 * date - a calendar date as people write it: 2024-01-05, 5 January 2024, January 5th, 2024,
 * 31/12/2024. An ambiguous date such as 03/04/2024 is not read.
 */
#include <stdint.h>

#include "base/buf.h"

struct date {
	int32_t year, month, day;
};

/* False: the text is not exactly a date with its year. */
bool date_read(struct span text, struct date *ret);
