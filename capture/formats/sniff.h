#pragma once
/*
 * sniff - what kind of file it is, told by the names of members at its beginning.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"

#define SNIFF_SIZE ((size_t)1 << 20) /* bytes looked at */
#define SNIFF_KEYS 256
#define SNIFF_DEPTH 4

struct sniff_key {
	unsigned depth; /* brackets around it, 1 or more */
	struct span name;
};

struct sniff {
	struct buf begin;                  /* of the file */
	struct sniff_key keys[SNIFF_KEYS]; /* of its first value, as far as it was looked at */
	size_t n;
};

/* The file is rewound. */
void sniff_file(struct sniff *s, FILE *file);
void sniff_bytes(struct sniff *s, struct span begin);
bool sniff_has(const struct sniff *s, unsigned depth, const char *name);
void sniff_finish(struct sniff *s);
