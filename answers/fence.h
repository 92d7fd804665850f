#pragma once
/*
 * fence - whether a place in a text lies in a code block (``` or ~~~), line by line.
 */
#include <stddef.h>

/* The character whose block is open at the present line, or 0. */
struct fence {
	char open;
};

/* The line that begins at p opens or closes a block, or does neither. */
static inline void fence_line(struct fence *f, const char *p, const char *end)
{
	for (int i = 0; i < 3 && p < end && *p == ' '; i++) {
		p++;
	}
	if (end - p < 3 || (*p != '`' && *p != '~') || p[1] != *p || p[2] != *p) {
		return;
	}
	if (f->open == 0) {
		f->open = *p;
	} else if (f->open == *p) {
		f->open = 0;
	}
}
