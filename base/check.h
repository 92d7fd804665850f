#pragma once
/*
 * check - assertions, and attributes for the compiler's checks.
 *
 * expect() and never() are for programming errors only. They are in every build and abort with file
 * and line. Errors of a peer, a file or the machine are return values, never an abort.
 */
#include <stddef.h>
#include <stdint.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#define NORETURN __attribute__((noreturn))

#define ARRAY_LEN(a) (sizeof(a) / sizeof(*(a)))
#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
/* System headers (sys/param.h, included by uv.h) define MIN and MAX, too. */
#undef MIN
#undef MAX
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define expect(cond) ((cond) ? (void)0 : check_failed(#cond, __FILE__, __LINE__))
#define never(why) check_failed(why, __FILE__, __LINE__)

/* An object that is passed through a `void *` begins with `uint32_t magic`. CHECKED converts the
 * pointer back; it aborts if the pointer is NULL or the magic differs from `value`. The function
 * that destroys the object sets the magic to 0, so that a use after free aborts at once. */
#define CHECKED(type, ptr, value)                                                                  \
	((type *)check_magic((ptr), offsetof(type, magic), (value), __FILE__, __LINE__))

NORETURN void check_failed(const char *what, const char *file, int line);
void *check_magic(void *ptr, size_t offset, uint32_t value, const char *file, int line);
