#pragma once
/*
 * name_counts - counts of names. Bounded: the first NAME_COUNTS_LIMIT in alphabetical order are
 * counted separately, so that the order of adding does not matter; the total counts all.
 */
#include <stddef.h>
#include <stdint.h>

#define NAME_COUNTS_LIMIT 24

struct name_count {
	char *name;
	uint64_t n;
};

struct name_counts {              /* zero-initialised is empty */
	struct name_count *items; /* in the order of the alphabet */
	size_t n;
	uint64_t total;
};

void name_counts_add(struct name_counts *c, const char *name, uint64_t n); /* copies the name */
/* The most frequent name; of several the first in alphabetical order. NULL: none. */
const struct name_count *name_counts_most(const struct name_counts *c);
void name_counts_finish(struct name_counts *c);
