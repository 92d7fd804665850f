#pragma once
/*
 * shrink - the smallest subset that still has a property of the whole set, by delta debugging
 * (Zeller and Hildebrandt 2002, ddmin). Pure except for the test; the same seed gives the same
 * tests in the same order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* Returns 1 if these n members have the property, 0 if not, -1 to stop and keep what is known so
 * far. */
typedef int (*shrink_test_fn)(void *arg, const uint32_t *members, size_t n);

/*
 * The n members have the property together. Returns how many remain, at the front of `members` and
 * in their order. *ret_minimal: no single one of them can be left out; false also if the tests
 * ended before that was known. The empty set is not tested.
 */
size_t shrink_set(uint32_t *members, size_t n, uint64_t seed, shrink_test_fn test, void *arg,
        bool *ret_minimal);
