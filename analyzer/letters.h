#pragma once
/*
 * letters - ASCII's kinds of characters, whatever the locale; bytes of other characters count as
 * letters.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool is_letter(char c)
{
	return is_upper(c) || is_lower(c) || ((unsigned char)c & 0x80);
}

/* Of a word or an identifier. */
static inline bool is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool is_space(char c)
{
	return is_blank(c) || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static inline char to_lower(char c)
{
	return is_upper(c) ? (char)(c + 32) : c;
}

static inline struct span span_between(const char *from, const char *to)
{
	return (struct span){from, (size_t)(to - from)};
}

static inline struct span span_trim(struct span s)
{
	while (s.len && is_space(s.data[0])) {
		s.data++;
		s.len--;
	}
	while (s.len && is_space(s.data[s.len - 1])) {
		s.len--;
	}
	return s;
}

static inline struct span span_from(struct span s, size_t at)
{
	return (struct span){s.data + at, s.len - at};
}

static inline bool span_starts(struct span s, const char *with)
{
	size_t n = span_of(with).len;
	return s.len >= n && span_is((struct span){s.data, n}, with);
}

static inline bool span_starts_nocase(struct span s, const char *with)
{
	size_t n = span_of(with).len;
	return s.len >= n && span_is_nocase((struct span){s.data, n}, with);
}

static inline bool span_in(struct span s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (span_is_nocase(s, words[i])) {
			return true;
		}
	}
	return false;
}
