#pragma once
/*
 * verifier_bodies - whether the parts that were found are those that the rows state. For verifier.c
 * only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

/* The bytes of one owner's part of one type. */
struct body {
	struct id owner;
	uint8_t type;
	bool may_be_short; /* expected: the row says that it was cut */
	uint64_t bytes;
};

struct bodies {
	struct body *items;
	size_t n, room;
};

/* Consecutive bytes of the same owner and type are added up. */
void bodies_add(struct bodies *b, const struct body *item);
/* Sorts by owner and type, each once. */
void bodies_sort(struct bodies *b);
const struct body *bodies_find(const struct bodies *b, struct id owner, uint8_t type);
void bodies_finish(struct bodies *b);
