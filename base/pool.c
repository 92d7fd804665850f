#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/sanitizer.h"

#if SANITIZED

void *pool_alloc(size_t size)
{
	return xmalloc(size);
}

void pool_free(void *memory, size_t size)
{
	free(memory);
}

#else

/* Four size classes per power of two. */
#define SMALLEST_BITS 6
#define LARGEST_BITS 12
#define CLASSES ((LARGEST_BITS - SMALLEST_BITS) * 4 + 1)
#define STOCK_BYTES 16384 /* approximate size of one stock */
#define STOCK_LIMIT 64

/* The header of a free piece. */
struct piece {
	struct piece *next;
	struct piece *next_stock; /* of a stock's first piece, in the depot */
};

struct stock {
	struct piece *first;
	unsigned n;
};

struct stocks { /* per thread: the stock in use, and a spare one that is full or empty */
	struct stock used[CLASSES], other[CLASSES];
};

struct depot {
	pthread_mutex_t lock;
	struct piece *full;
};

static struct depot depots[CLASSES];
static atomic_size_t kept;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static _Thread_local struct stocks *own_stocks;

static unsigned class_of(size_t size)
{
	if (size <= (size_t)1 << SMALLEST_BITS) {
		return 0;
	}
	unsigned bits = 63 - (unsigned)__builtin_clzl(size - 1); /* 2^bits < size <= 2^(bits+1) */
	size_t step = (size_t)1 << (bits - 2);
	size_t above = (size - 1 - ((size_t)1 << bits)) / step;
	return (bits - SMALLEST_BITS) * 4 + 1 + (unsigned)above;
}

static size_t size_of(unsigned class)
{
	if (class == 0) {
		return (size_t)1 << SMALLEST_BITS;
	}
	unsigned bits = SMALLEST_BITS + (class - 1) / 4;
	return ((size_t)1 << bits) + (((size_t)1 << (bits - 2)) * ((class - 1) % 4 + 1));
}

static unsigned stock_of(unsigned class)
{
	size_t n = STOCK_BYTES / size_of(class);
	return (unsigned)MAX((size_t)2, MIN(n, (size_t)STOCK_LIMIT));
}

static void free_stock(struct stock *s)
{
	while (s->first) {
		struct piece *next = s->first->next;
		free(s->first);
		s->first = next;
	}
	s->n = 0;
}

static void on_thread_end(void *arg)
{
	struct stocks *s = arg;
	for (unsigned i = 0; i < CLASSES; i++) {
		free_stock(&s->used[i]);
		free_stock(&s->other[i]);
	}
	free(s);
	own_stocks = NULL;
}

static void begin(void)
{
	expect(pthread_key_create(&at_thread_end, on_thread_end) == 0);
	for (unsigned i = 0; i < CLASSES; i++) {
		pthread_mutex_init(&depots[i].lock, NULL);
	}
}

static struct stocks *stocks(void)
{
	if (!own_stocks) {
		pthread_once(&once, begin);
		own_stocks = xcalloc(1, sizeof(*own_stocks));
		expect(pthread_setspecific(at_thread_end, own_stocks) == 0);
	}
	return own_stocks;
}

/* Only full stocks are exchanged with the depot. */

static bool fetch(unsigned class, struct stock *ret)
{
	struct depot *d = &depots[class];
	pthread_mutex_lock(&d->lock);
	struct piece *first = d->full;
	if (first) {
		d->full = first->next_stock;
	}
	pthread_mutex_unlock(&d->lock);
	if (!first) {
		return false;
	}
	*ret = (struct stock){first, stock_of(class)};
	atomic_fetch_sub_explicit(&kept, ret->n * size_of(class), memory_order_relaxed);
	return true;
}

static void deliver(unsigned class, struct stock *s)
{
	struct depot *d = &depots[class];
	size_t bytes = s->n * size_of(class);
	if (atomic_fetch_add_explicit(&kept, bytes, memory_order_relaxed) + bytes > POOL_KEPT) {
		atomic_fetch_sub_explicit(&kept, bytes, memory_order_relaxed);
		free_stock(s);
		return;
	}
	pthread_mutex_lock(&d->lock);
	s->first->next_stock = d->full;
	d->full = s->first;
	pthread_mutex_unlock(&d->lock);
	*s = (struct stock){0};
}

static void swap(struct stock *a, struct stock *b)
{
	struct stock temporary = *a;
	*a = *b;
	*b = temporary;
}

void *pool_alloc(size_t size)
{
	if (size > POOL_LARGEST) {
		return xmalloc(size);
	}
	unsigned class = class_of(size);
	struct stocks *s = stocks();
	struct stock *used = &s->used[class];
	if (!used->n) {
		swap(used, &s->other[class]);
	}
	if (!used->n && !fetch(class, used)) {
		return xmalloc(size_of(class));
	}
	struct piece *p = used->first;
	used->first = p->next;
	used->n--;
	return p;
}

void pool_free(void *memory, size_t size)
{
	if (!memory || size > POOL_LARGEST) {
		free(memory);
		return;
	}
	unsigned class = class_of(size);
	struct stocks *s = stocks();
	struct stock *used = &s->used[class];
	if (used->n == stock_of(class)) {
		if (s->other[class].n) {
			deliver(class, &s->other[class]);
		}
		swap(used, &s->other[class]);
	}
	struct piece *p = memory;
	p->next = used->first;
	used->first = p;
	used->n++;
}

#endif

void *pool_alloc_zeroed(size_t size)
{
	return memset(pool_alloc(size), 0, size);
}
