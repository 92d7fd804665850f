#pragma once
/*
 * scarcity - limits the memory of a test's process. NO_SCARCITY is defined under a sanitizer, whose
 * own mappings allow no limit.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <criterion/criterion.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_SCARCITY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NO_SCARCITY 1
#endif
#endif

/* The bytes that the process has mapped, and those of them that are resident. */
static inline void read_statm(size_t *ret_mapped, size_t *ret_resident)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	FILE *f = fopen("/proc/self/statm", "re");
	cr_assert_not_null(f);
	cr_assert_eq(fscanf(f, "%zu %zu", ret_mapped, ret_resident), 2);
	fclose(f);
	*ret_mapped *= page;
	*ret_resident *= page;
}

#ifndef NO_SCARCITY

/* Limits further memory to this many bytes; SIZE_MAX: no limit. */
static inline void limit_memory(size_t more)
{
	struct rlimit limit;
	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	if (more != SIZE_MAX) {
		size_t mapped, resident;
		read_statm(&mapped, &resident);
		limit.rlim_cur = mapped + more;
	}
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

#endif
