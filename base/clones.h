#pragma once
/*
 * clones - functions that are compiled once for every processor and once for each wider kind of vectors; which
 * of them runs is chosen when the program starts. For loops without branches alone: all clones give the same
 * bits, as long as multiplications and additions are never contracted, so that what reckons with fractions is
 * built with -ffp-contract=off.
 *
 * A cloned function is static: compilers don't agree on what it is called outside. Its name is nevertheless its alone in the
 * program: clang gives what chooses the clone to all files. There are no clones under
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
#define CLONED __attribute__((target_clones("avx512f", "avx2", "default"))) static
#else
#define CLONED static
#endif

/* What a cloned function calls: it becomes a part of each clone, however large it is. */
#define CLONED_PART static inline __attribute__((always_inline))
