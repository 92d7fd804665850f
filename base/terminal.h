#pragma once
/*
 * terminal - what a person reads text on: how wide it is, and whether it shows colours. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>

/* Columns: from 60 to 160; 80 where fd is no terminal or does not know. */
size_t terminal_width(int fd);
/* False where fd is no terminal, or NO_COLOR is set (https://no-color.org). */
bool terminal_has_colours(int fd);
