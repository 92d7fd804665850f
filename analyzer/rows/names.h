#pragma once
/*
 * names - backends' names as they may go to a terminal: they come from a file.
 */
#include "capture/record.h"

/* "(unnamed)" for what has none, or one that is not printable ASCII. */
const char *names_of_backend(const struct leg_row *leg);
