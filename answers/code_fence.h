#pragma once
/*
 * code_fence - finds out, line by line, whether a text is inside a code block (between lines of ```
 * or ~~~). Pure.
 */
#include <stddef.h>

/* The character of the block that is open at the current line; 0: none is. */
struct code_fence {
	char open;
};

/* Call it at the beginning p of each line; end: of the line or of the text. The line opens a block,
 * closes it, or does neither. */
static inline void code_fence_line(struct code_fence *f, const char *p, const char *end)
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
