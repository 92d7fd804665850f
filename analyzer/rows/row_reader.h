#pragma once
/*
 * row_reader - reads a row from its line. The line is not trusted: a value of the wrong type or
 * range is refused, unknown members are skipped. Pure.
 */
#include "analyzer/rows/row_columns.h"
#include "base/arena.h"
#include "base/check.h"

/* Returns NULL and sets *ret, whose texts are in the arena; or returns the error, a sentence. */
char *row_read(struct span line, struct arena *texts, struct row *ret) MUST_CHECK;
