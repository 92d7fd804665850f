#pragma once
/*
 * csv - one record of a comma-separated file as RFC 4180 has it: quoted fields may hold commas, line ends
 * and doubled quotes. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Whether a quoted field is open at the end of the text, where none is at its beginning, or the other way
 * round: if one is open at a line's end, the record goes on in the next. */
bool csv_is_open(struct span text);
/* The field of that number, without its quotes, appended. False: there are fewer. */
bool csv_field(struct span record, size_t number, struct buf *to) MUST_CHECK;
/* The number of the column of that name in a header, or -1. */
int csv_column(struct span header, const char *name);
