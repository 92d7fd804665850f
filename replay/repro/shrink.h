#pragma once
/*
 * shrink - finds a small subset that still has a property of the whole set, and from which no
 * single member can be left out, by delta debugging (Zeller and Hildebrandt 2002, algorithm ddmin).
 * Pure except for the test function. If the test function gives the same results, the same seed
 * gives the same tests in the same order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* Returns 1 if these n members together have the property, 0 if not, -1 to stop the search. */
typedef int (*shrink_test_fn)(void *arg, const uint32_t *members, size_t n);

/*
 * Reduces a set of n members, which must have the property. Returns the number of members that
 * remain; they are first in `members`, in their old order. *ret_minimal: true if tests showed that
 * no single one of them can be left out; false if the test function stopped the search before that.
 * The empty set is not tested.
 */
size_t shrink_set(uint32_t *members, size_t n, uint64_t seed, shrink_test_fn test, void *arg,
        bool *ret_minimal);
