#pragma once
/*
 * leg_hints - what the reader of an answer is told, out of the rows that are stored: for readings that are made again.
 */
#include "capture/record.h"

/* exchange: the leg's own. */
struct reading_hints leg_hints(const struct exchange_row *exchange, const struct leg_row *leg);
