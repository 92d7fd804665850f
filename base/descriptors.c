#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

#define DEFAULT_LIMIT 1024 /* if the limit cannot be read */

unsigned descriptors_raise_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
		return DEFAULT_LIMIT;
	}
	struct rlimit all = {limit.rlim_max, limit.rlim_max};
	rlim_t n = setrlimit(RLIMIT_NOFILE, &all) == 0 ? all.rlim_cur : limit.rlim_cur;
	return (unsigned)MIN(n, (rlim_t)UINT_MAX);
}

static bool are_available(unsigned n)
{
	int *fds = xmalloc(n * sizeof(*fds));
	unsigned i = 0;
	while (i < n && (fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
		i++;
	}
	bool exhausted = i < n && (errno == EMFILE || errno == ENFILE);
	while (i > 0) {
		close(fds[--i]);
	}
	free(fds);
	return !exhausted;
}

char *descriptors_require(unsigned n)
{
	unsigned all = descriptors_raise_limit();
	return are_available(n)
	               ? NULL
	               : xasprintf("there are too few file descriptors: plumbline needs at "
	                           "least %u more than are open, and the limit is %u (ulimit "
	                           "-n, or LimitNOFILE of a unit)",
	                         n, all);
}
