#pragma once
/*
 * cursor - a position in a text that is read from front to back. Pure.
 */
#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"

struct cursor {
	const char *p, *end;
};

static inline struct cursor cursor_of(struct span s)
{
	return (struct cursor){s.data, s.data + s.len};
}

/* True if the text continues with the literal. */
static inline bool cursor_at(const struct cursor *at, const char *literal)
{
	size_t n = strlen(literal);
	return (size_t)(at->end - at->p) >= n && memcmp(at->p, literal, n) == 0;
}

/* Skips the literal if the text continues with it, else returns false. */
static inline bool cursor_accept(struct cursor *at, const char *literal)
{
	bool is = cursor_at(at, literal);
	at->p += is ? strlen(literal) : 0;
	return is;
}

/* Skips white space, line ends included. */
static inline void cursor_skip_blanks(struct cursor *at)
{
	while (at->p < at->end && is_space(*at->p)) {
		at->p++;
	}
}

/* As cursor_accept(), after any white space. */
static inline bool cursor_accept_next(struct cursor *at, const char *literal)
{
	struct cursor ahead = *at;
	cursor_skip_blanks(&ahead);
	bool is = cursor_accept(&ahead, literal);
	*at = is ? ahead : *at;
	return is;
}

/* Sets *ret to the text before the literal and moves past the literal. False: the literal does not
 * occur. */
static inline bool cursor_until(struct cursor *at, const char *literal, struct span *ret)
{
	size_t n = strlen(literal);
	const char *found = memmem(at->p, (size_t)(at->end - at->p), literal, n);
	if (!found) {
		return false;
	}
	*ret = (struct span){at->p, (size_t)(found - at->p)};
	at->p = found + n;
	return true;
}
