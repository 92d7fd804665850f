#pragma once
/*
 * leg_hints - makes struct reading_hints from stored rows; needed when a capture's answers are read
 * again.
 */
#include "capture/record.h"

/* exchange: the leg's exchange. Sets all members except `offered` and `limit`, which stay zero;
 * keeps no pointer into the rows. */
struct reading_hints leg_hints(const struct exchange_row *exchange, const struct leg_row *leg);
