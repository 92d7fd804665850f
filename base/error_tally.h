#pragma once
/*
 * error_tally - why things did not go, each with how often. Zero-initialised is empty. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#define ERROR_TALLY_LIMIT 24 /* told apart; the rest is counted together */
#define ERROR_TALLY_PLACES 16

struct error_count {
	char *why;
	const char *kind; /* the end of why: without its place in a file */
	uint64_t n;
};

struct error_tally {
	struct error_count items[ERROR_TALLY_LIMIT];
	size_t n;
	uint64_t total;
};

void error_tally_add(struct error_tally *r, const char *why); /* a copy is made */
/* Of a line of a file: by its number while there are fewer than ERROR_TALLY_PLACES reasons, then by why alone. */
void error_tally_add_at(struct error_tally *r, const char *path, uint64_t line, const char *why);
void error_tally_add_many(struct error_tally *r, const char *why, uint64_t n);
void error_tally_merge(struct error_tally *r, const struct error_tally *other);
/* The sum of all reasons of the kind of number i; 0: one before it is of that kind. */
uint64_t error_tally_of_kind(const struct error_tally *r, size_t i);
void error_tally_finish(struct error_tally *r);
