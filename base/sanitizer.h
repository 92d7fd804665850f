#pragma once
/*
 * sanitizer - SANITIZED: 1 if this build uses a sanitizer that finds misuse of memory. Code that
 * would keep freed memory for later use then calls malloc() and free() instead, which the sanitizer
 * watches.
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
