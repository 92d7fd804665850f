/*
 * A disk that takes 300 ms for each sync: preloaded into a proxy by the isolation matrix.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

#define DELAY_US 300000

static int after_delay(const char *name, int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	usleep(DELAY_US);
	return next(fd);
}

int fsync(int fd)
{
	return after_delay("fsync", fd);
}

int fdatasync(int fd)
{
	return after_delay("fdatasync", fd);
}

int msync(void *addr, size_t length, int flags)
{
	int (*next)(void *, size_t, int) = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "msync");
	usleep(DELAY_US);
	return next(addr, length, flags);
}
