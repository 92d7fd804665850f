#pragma once
/*
 * shrink - finds a smallest subset that still has a property of the whole set, by delta debugging
 * (Zeller and Hildebrandt 2002, ddmin). Pure except for the test function. The same seed gives the
 * same tests in the same order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* Returns 1 if these n members together have the property, 0 if not, -1 to stop the search. */
typedef int (*shrink_test_fn)(void *arg, const uint32_t *members, size_t n);

/*
 * The n members must have the property together. Returns how many remain, in front of `members` and
 * in their order. *ret_minimal: true if no single remaining member can be left out; false also if a
 * stop left that open. The empty set is not tested.
 */
size_t shrink_set(uint32_t *members, size_t n, uint64_t seed, shrink_test_fn test, void *arg,
        bool *ret_minimal);
