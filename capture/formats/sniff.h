#pragma once
/*
 * sniff - recognises the kind of a file by the members at its beginning.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"

#define SNIFF_SIZE ((size_t)1 << 20) /* bytes that are examined */
#define SNIFF_KEYS 256
#define SNIFF_DEPTH 4

struct sniff_key {
	unsigned depth; /* nesting depth, from 1 */
	struct span name;
};

struct sniff {
	struct buf begin; /* the beginning of the file */
	/* keys of the file's first value, as far as it was examined; they point into `begin` */
	struct sniff_key keys[SNIFF_KEYS];
	size_t n;
};

/* Examines the file's beginning and rewinds the file; one that can't be read counts as empty.
 * Overwrites *s. */
void sniff_file(struct sniff *s, FILE *file);
/* True if the first value has a key of this name at this depth. */
bool sniff_has(const struct sniff *s, unsigned depth, const char *name);
void sniff_finish(struct sniff *s);
