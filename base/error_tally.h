#pragma once
/*
 * error_tally - counts errors by their text. Zero-initialised is empty. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#define ERROR_TALLY_LIMIT 24  /* different texts; the rest is counted together */
#define ERROR_TALLY_PLACES 16 /* below ERROR_TALLY_LIMIT, so that other errors find a place */

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
/*
 * An error in a line of a file. Below ERROR_TALLY_PLACES different texts it is counted with its
 * line number, beyond that by path and why alone.
 */
void error_tally_add_at(struct error_tally *r, const char *path, uint64_t line, const char *why);
void error_tally_add_many(struct error_tally *r, const char *why, uint64_t n);
void error_tally_merge(struct error_tally *r, const struct error_tally *other);
/* The count of all items with the kind of item i; 0 if an earlier item has that kind. */
uint64_t error_tally_of_kind(const struct error_tally *r, size_t i);
void error_tally_finish(struct error_tally *r);
