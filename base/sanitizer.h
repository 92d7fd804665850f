#pragma once
/*
 * sanitizer - whether this build uses a sanitizer that finds misuse of memory. If so, code that
 * would keep freed pieces of memory for later use leaves them to malloc() and free(), which the
 * sanitizer watches.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
        __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED
#define SANITIZED 0
#endif
