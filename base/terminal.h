#pragma once
/*
 * terminal - properties of the terminal on which a person reads text: its width, and whether it
 * shows colours. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>

/* Columns: from 60 to 160; 80 if fd is no terminal or the width is not known. */
size_t terminal_width(int fd);
/* False if fd is no terminal, or NO_COLOR is set (https://no-color.org). */
bool terminal_has_colours(int fd);
