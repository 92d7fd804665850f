#pragma once
/*
 * calls - compares the tool calls of two answers by name and by arguments in canonical form
 * (answers/canonical.h). Ids do not count. Pure.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/tools.h"
#include "answers/reading.h"

struct calls_difference {
	uint32_t base, test; /* number of calls on each side */
	uint32_t matched;    /* calls with the same name and arguments on both sides */
	/* calls with the same name on both sides, whatever their arguments; at least `matched` */
	uint32_t named;
	/* base_checked: the base's calls for which tools_check() does not return SCHEMA_UNKNOWN.
	 * base_valid: those of them with SCHEMA_CONFORMS. The same for the test. */
	uint32_t base_checked, base_valid;
	uint32_t test_checked, test_valid;
	enum agreement agreement;
	/* RUNG_DIFFERENT: `agreement` is not AGREE_SAME. Else RUNG_BYTES: all arguments are equal
	 * byte for byte, or there are no calls; RUNG_STRUCTURE: they are not. */
	enum rung rung;
};

/*
 * Compares the calls of two answers. tools: offered by the request; NULL: unknown, and no call is
 * checked. ret->agreement:
 *
 *	AGREE_SAME       no calls on both sides, or the same calls in the same order
 *	AGREE_UNDECIDED  the same calls in another order; or the same names in the same order,
 *	                 where the arguments of a call differ only in one of these ways:
 *	                 (a) strings of at least four words
 *	                 (b) one side states a default of the schema
 *	                 (c) they cannot be compared as JSON
 *	                 (d) 1 against "1", if a call was in the model's text: such calls state no
 *	                     types
 *	AGREE_CHANGED    otherwise
 */
void calls_compare(const struct choice *base, const struct choice *test, const struct tools *tools,
        struct calls_difference *ret);
