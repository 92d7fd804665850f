#pragma once
/*
 * leg_hints - makes the hints for reading an answer from stored rows, when a capture's readings are
 * made again.
 */
#include "capture/record.h"

/* exchange: the leg's exchange. */
struct reading_hints leg_hints(const struct exchange_row *exchange, const struct leg_row *leg);
