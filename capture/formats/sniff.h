#pragma once
/*
 * sniff - recognises the kind of a file by the members at its beginning.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"

#define SNIFF_SIZE ((size_t)1 << 20) /* bytes examined */
#define SNIFF_KEYS 256
#define SNIFF_DEPTH 4

struct sniff_key {
	unsigned depth; /* nesting depth, from 1 */
	struct span name;
};

struct sniff {
	struct buf begin;                  /* beginning of the file */
	struct sniff_key keys[SNIFF_KEYS]; /* of its first value, as far as examined */
	size_t n;
};

/* The file is rewound. */
void sniff_file(struct sniff *s, FILE *file);
void sniff_bytes(struct sniff *s, struct span begin);
bool sniff_has(const struct sniff *s, unsigned depth, const char *name);
void sniff_finish(struct sniff *s);
