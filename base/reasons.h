#pragma once
/*
 * reasons - why things did not go, each with how often. Zero-initialised is empty. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#define REASONS_LIMIT 24 /* told apart; the rest is counted together */
#define REASONS_PLACES 16

struct reason {
	char *why;
	const char *kind; /* the end of why: without its place in a file */
	uint64_t n;
};

struct reasons {
	struct reason items[REASONS_LIMIT];
	size_t n;
	uint64_t total;
};

void reasons_add(struct reasons *r, const char *why); /* a copy is made */
/* Of a line of a file: by its number while there are fewer than REASONS_PLACES reasons, then by why alone. */
void reasons_add_at(struct reasons *r, const char *path, uint64_t line, const char *why);
void reasons_add_many(struct reasons *r, const char *why, uint64_t n);
void reasons_merge(struct reasons *r, const struct reasons *other);
/* The sum of all reasons of the kind of number i; 0: one before it is of that kind. */
uint64_t reasons_of_kind(const struct reasons *r, size_t i);
void reasons_finish(struct reasons *r);
