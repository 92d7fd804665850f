#pragma once
/*
 * calls - compares the tool calls of two answers by name and by arguments in canonical form. Ids do
 * not count.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/tools.h"
#include "answers/reading.h"

struct calls_difference {
	uint32_t base, test; /* number of calls on each side */
	uint32_t matched;    /* calls with the same name and arguments on both sides */
	uint32_t named;      /* calls with the same name on both sides */
	/* the base's calls with a known schema; those of them that conform to it */
	uint32_t base_checked, base_valid;
	uint32_t test_checked, test_valid;
	enum agreement agreement;
	enum rung rung; /* bytes, structure or different */
};

/*
 * tools: offered by the request; NULL: unknown. AGREE_UNDECIDED: the same calls in another order,
 * or arguments that may mean the same: texts, or a default that only one side states.
 */
void calls_compare(const struct choice *base, const struct choice *test, const struct tools *tools,
        struct calls_difference *ret);
