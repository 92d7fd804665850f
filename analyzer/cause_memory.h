#pragma once
/*
 * cause_memory - which tokens came lately in an answer. Bounded: a slot may forget what another token puts
 * there, rarely, and then a repeat goes unnoticed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/listing.h"

#define CAUSE_MEMORY_WINDOW 256 /* tokens; more than engines' penalties usually look back */
#define CAUSE_MEMORY_SLOTS 1024

#define CAUSE_MEMORY_MARKS 2048

struct cause_memory {                   /* zero-initialised is empty */
	bool marks[CAUSE_MEMORY_MARKS]; /* by the keys of all tokens that ever came */
	struct {
		uint32_t hash, at; /* at: position + 1; 0: empty */
	} slots[CAUSE_MEMORY_SLOTS];
};

/* Private. */
static inline size_t cause_memory_mark(uint64_t key)
{
	return (key * UINT64_C(0x9e3779b97f4a7c15)) / (UINT64_MAX / CAUSE_MEMORY_MARKS + 1);
}

/* Positions only rise. */
void cause_memory_add(struct cause_memory *m, struct listed token, uint32_t at);
/* Of the key of a token that identifies: false means that it never came, true nothing. */
static inline bool cause_memory_may_have(const struct cause_memory *m, uint64_t key)
{
	return m->marks[cause_memory_mark(key)];
}
/* Did the token come within the window before that position? */
bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at);
