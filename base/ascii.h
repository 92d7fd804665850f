#pragma once
/*
 * ascii - classes of ASCII characters, independent of the locale, and operations on spans of text.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>

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

/* a to z and A to Z. */
static inline bool is_latin(char c)
{
	return is_upper(c) || is_lower(c);
}

static inline bool is_alnum(char c)
{
	return is_latin(c) || is_digit(c);
}

/* is_latin(), or a byte of a character beyond ASCII. */
static inline bool is_letter(char c)
{
	return is_latin(c) || ((unsigned char)c & 0x80);
}

/* is_letter(), a digit or an underscore. */
static inline bool is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* White space of JSON and of line protocols: no vertical tab, no form feed. */
static inline bool is_layout(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool is_space(char c)
{
	return c == ' ' || (unsigned char)(c - '\t') <= '\r' - '\t';
}

/* Copies a string and cuts it to fit size bytes with its NUL; size is above 0. Each byte that is
 * not printable ASCII becomes '?'. from: NULL counts as empty. */
static inline void ascii_copy(char *to, size_t size, const char *from)
{
	size_t n = 0;
	for (; from && *from && n + 1 < size; from++) {
		to[n++] = *from >= ' ' && *from <= '~' ? *from : '?';
	}
	to[n] = '\0';
}

#define HEX_DIGITS "0123456789abcdef"
/* The value of a hexadecimal digit; -1: c is none. */
static inline int hex_digit(char c)
{
	if (is_digit(c)) {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that two hexadecimal digits at p stand for; -1: p has no two digits before end. */
static inline int hex_byte(const char *p, const char *end)
{
	int high = end - p < 2 ? -1 : hex_digit(p[0]);
	int low = high < 0 ? -1 : hex_digit(p[1]);
	return low < 0 ? -1 : high * 16 + low;
}

/* The value of four hexadecimal digits; the caller has checked that p has them. */
static inline uint32_t hex_quad(const char *p)
{
	uint32_t value = 0;
	for (int i = 0; i < 4; i++) {
		value = value << 4 | (uint32_t)hex_digit(p[i]);
	}
	return value;
}

static inline char to_lower(char c)
{
	return is_upper(c) ? (char)(c + 32) : c;
}

static inline struct span span_between(const char *from, const char *to)
{
	return (struct span){from, (size_t)(to - from)};
}

/* The text without the white space (is_space()) at both ends. */
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

/* The text without the white space of is_layout() at its beginning. */
static inline struct span span_skip_layout(struct span s)
{
	while (s.len && is_layout(*s.data)) {
		s.data++;
		s.len--;
	}
	return s;
}

/* The bytes from offset `at` on, which is at most s.len. */
static inline struct span span_from(struct span s, size_t at)
{
	return (struct span){s.data + at, s.len - at};
}

/* Not memcmp(): callers ask at nearly every byte of a text, and the first byte mostly decides. */
static inline bool span_starts(struct span s, const char *with)
{
	for (size_t i = 0; with[i]; i++) {
		if (i == s.len || s.data[i] != with[i]) {
			return false;
		}
	}
	return true;
}

static inline bool span_ends(struct span s, const char *with)
{
	size_t n = strlen(with);
	return s.len >= n && memcmp(s.data + s.len - n, with, n) == 0;
}

static inline bool span_starts_nocase(struct span s, const char *with)
{
	for (size_t i = 0; with[i]; i++) {
		if (i == s.len || to_lower(s.data[i]) != to_lower(with[i])) {
			return false;
		}
	}
	return true;
}

/* As span_starts_nocase(), but the character after `with` must not belong to a word. */
static inline bool span_starts_words(struct span s, const char *with)
{
	size_t n = strlen(with);
	return span_starts_nocase(s, with) && (n == s.len || !is_word(s.data[n]));
}

/* True if s is one of n words, ignoring the case of ASCII letters. */
static inline bool span_in(struct span s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (span_is_nocase(s, words[i])) {
			return true;
		}
	}
	return false;
}

static inline bool is_any(char c, const char *of)
{
	return c && strchr(of, c);
}

/* The first byte from p on that is one of the characters in `of`; end: there is none. */
static inline const char *find_any(const char *p, const char *end, const char *of)
{
	while (p < end && !is_any(*p, of)) {
		p++;
	}
	return p;
}
