/*
 * slow_sync - simulates a disk that takes 300 ms per sync. The isolation matrix and the soak preload
 * it into a proxy. With SLOW_SYNC_WHEN=FILE, syncs are slow only while FILE exists.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define DELAY_US 300000

static void delay(void)
{
	const char *when = getenv("SLOW_SYNC_WHEN");
	if (!when || access(when, F_OK) == 0) {
		usleep(DELAY_US);
	}
}

static int after_delay(const char *name, int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
	delay();
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
	delay();
	return next(addr, length, flags);
}
