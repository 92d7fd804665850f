#pragma once
/*
 * xxh3 - includes xxhash. If the library was built for it, it chooses the widest vector
 * instructions of the processor at run time.
 */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#ifdef XXHASH_CHOOSES
#include <xxh_x86dispatch.h>
#endif
