#pragma once
/*
 * clones - functions that are compiled once for every processor and once for wider vectors; which of them
 * runs is chosen when the program starts. For loops without branches alone: all clones give the same bits,
 * as multiplications and additions are never contracted.
 *
 * A cloned function is static: compilers don't agree on what it is called outside. There are no clones under
 * TSan, which is not yet there when they are chosen.
 */
#include <features.h>

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) &&                  \
        !HAS_FEATURE(thread_sanitizer)
#define CLONED __attribute__((target_clones("avx2", "default"))) static
#else
#define CLONED static
#endif
