#pragma once
/*
 * calls - the tool calls of two answers, held against each other: by name and by arguments in
 * canonical form. Ids are of no account.
 */
#include "analyzer/agreement.h"
#include "analyzer/ladder.h"
#include "reading/reading.h"

struct calls_difference {
	uint32_t base, test;
	uint32_t matched; /* name and arguments */
	uint32_t named;   /* name only: as many of each name as both have */
	float f1;         /* 2 matched / (base + test); 1 if there are none */
	enum agreement agreement;
	enum rung rung; /* bytes, structure or different */
};

/* Undecided: the same calls in another order, or texts among the arguments that may say the same. */
void calls_compare(
        const struct choice *base, const struct choice *test, struct calls_difference *ret);
