#pragma once
/*
 * verifier_bodies - whether the parts that were found are those that the rows promise. For verifier.c
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
	bool may_be_short; /* wanted: the row says that it was cut */
	uint64_t bytes;
};

struct bodies {
	struct body *items;
	size_t n, room;
};

/* Bytes of the same owner and type that come one after the other are added up. */
void bodies_add(struct bodies *b, const struct body *item);
/* By owner and type, each once. */
void bodies_sort(struct bodies *b);
const struct body *bodies_find(const struct bodies *b, struct id owner, uint8_t type);
void bodies_finish(struct bodies *b);
