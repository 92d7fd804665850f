/*
 * starve - preloaded into a program, makes its allocations fail as a file says, from the moment that it says so.
 *
 * The file that STARVE names is mapped and is a struct starve: whoever writes into it switches. malloc() and its like are
 * glibc's own by their other names, and mmap() is the system call, so that nothing is looked up while nothing can be allocated.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

struct starve {
	_Atomic uint64_t least;  /* bytes: what is smaller never fails; 0: nothing fails */
	_Atomic uint64_t share;  /* of 2^32, of what is that large, that fails */
	_Atomic uint64_t seed;   /* and the dice's state */
	_Atomic uint64_t failed; /* how many have */
};

static struct starve off;
static struct starve *told = &off;

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("STARVE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd < 0 ? MAP_FAILED
	                 : map(NULL, sizeof(off), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		_exit(99);
	}
	close(fd);
	told = p;
}

static uint32_t dice(void)
{
	uint64_t z = atomic_fetch_add(&told->seed, 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

static int fails(size_t size)
{
	uint64_t least = told->least;
	if (!least || size < least || dice() > told->share) {
		return 0;
	}
	told->failed++;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		bytes = SIZE_MAX;
	}
	return fails(bytes) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails(size) ? NULL : __libc_realloc(old, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return fails(size) ? MAP_FAILED : map(at, size, protection, flags, fd, offset);
}

/* By which name it is called where offsets have 64 bits. */
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
        __attribute__((alias("mmap")));
