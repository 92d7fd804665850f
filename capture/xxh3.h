#pragma once
/*
 * xxh3 - xxhash with the widest vectors that the processor has, where the library was built to
 * choose.
 */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#ifdef XXHASH_CHOOSES
#include <xxh_x86dispatch.h>
#endif
