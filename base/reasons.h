#pragma once
/*
 * reasons - why things did not go, each with how often. Zero-initialised is empty. One thread.
 */
#include <stddef.h>
#include <stdint.h>

#define REASONS_LIMIT 24 /* told apart; the rest is counted together */

struct reason {
	char *why;
	uint64_t n;
};

struct reasons {
	struct reason items[REASONS_LIMIT];
	size_t n;
	uint64_t total;
};

void reasons_add(struct reasons *r, const char *why); /* a copy is made */
void reasons_finish(struct reasons *r);
