#pragma once
/*
 * mark_names - the names of marks and contents in the output of commands.
 */
#include "capture/record.h"

/* The name of the flag 1 << bit; NULL: there is no such flag. */
const char *exchange_mark_name(unsigned bit);
const char *leg_mark_name(unsigned bit);
const char *reading_mark_name(unsigned bit);
const char *content_name(enum content c);
