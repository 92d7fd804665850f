#pragma once
/*
 * shrink - the smallest part of a set that still shows what the whole shows, by delta debugging
 * (Zeller and Hildebrandt 2002, ddmin): halves, then smaller parts, and what is left when one of them is
 * taken out. Pure, but for what the test does; the same seed gives the same tests in the same order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* 1: these n members show it; 0: they do not; -1: no more tests, what is known so far stands. */
typedef int (*shrink_test_fn)(void *arg, const uint32_t *members, size_t n);

/*
 * members: n of them, which show it together; on return the first ones, as many as are returned, in their order, still
 * do. *ret_minimal: of these no single one can be left out (and not: the tests came to an end before
 * that was known). The empty set is not tried.
 */
size_t shrink_set(uint32_t *members, size_t n, uint64_t seed, shrink_test_fn test, void *arg,
        bool *ret_minimal);
