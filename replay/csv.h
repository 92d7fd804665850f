#pragma once
/*
 * csv - reads one record of a comma-separated file (RFC 4180), without the line end after it.
 * Quoted fields may hold commas, line ends and doubled quotes. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* True if the text ends within a quoted field. It is then only the beginning of a record, which
 * continues on the next line. */
bool csv_is_open(struct span text);
/* Appends the value of field `number` (from 0), without its quotes. False: the record has fewer
 * fields; nothing is appended. */
bool csv_field(struct span record, size_t number, struct buf *to) MUST_CHECK;
/* The number (from 0) of the column with this name in a header record, or -1. */
int csv_column(struct span header, const char *name);
