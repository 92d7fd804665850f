#pragma once
/*
 * name_counts - counts how often each name occurs. Memory is limited: only the first
 * NAME_COUNTS_LIMIT names in alphabetical order (strcmp()) have counts, so that the order of adding
 * does not matter. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#define NAME_COUNTS_LIMIT 24

struct name_count {
	char *name;
	uint64_t n;
};

struct name_counts {              /* zero-initialised: empty */
	struct name_count *items; /* in alphabetical order */
	size_t n;
	uint64_t total; /* of all added names, also of those without a count */
};

/* Adds n to the count of a name, which is copied. */
void name_counts_add(struct name_counts *c, const char *name, uint64_t n);
/* The most frequent name; if several are equally frequent, the first in alphabetical order.
 * NULL: none. */
const struct name_count *name_counts_most(const struct name_counts *c);
void name_counts_finish(struct name_counts *c);
