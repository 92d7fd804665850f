#include "replay/places.h"

#include <sys/resource.h>

#include "base/mem.h"

#define SPARE_FDS 128
#define PLACES_LIMIT 65536

unsigned places_most(void)
{
	struct rlimit limit;
	rlim_t fds = 1024;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		fds = limit.rlim_cur == RLIM_INFINITY ? PLACES_LIMIT : limit.rlim_cur;
	}
	return fds > 2 * SPARE_FDS ? (unsigned)MIN(fds - SPARE_FDS, (rlim_t)PLACES_LIMIT) : 16;
}
