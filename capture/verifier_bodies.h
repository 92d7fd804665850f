#pragma once
/*
 * verifier_bodies - adds up the bytes of parts, so that they can be compared with the sizes in the
 * rows. For verifier.c only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

/* The bytes of one owner's part of one type. */
struct body {
	struct id owner;
	uint8_t type;
	bool may_be_short; /* the row says that the body was cut, so it may have fewer bytes */
	uint64_t bytes;
};

struct bodies {
	struct body *items;
	size_t n, room;
};

/* Adds bytes. Consecutive calls with the same owner and type are added up in one item. */
void bodies_add(struct bodies *b, const struct body *item);
/* Sorts by owner and type, and joins the items of each pair. */
void bodies_sort(struct bodies *b);
/* After bodies_sort(). NULL: there is none. */
const struct body *bodies_find(const struct bodies *b, struct id owner, uint8_t type);
void bodies_finish(struct bodies *b);
