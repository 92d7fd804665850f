/* Memory that threads pass to each other. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

Test(pool, serves_every_size_whole_and_alone)
{
	static unsigned char *held[POOL_LARGEST / 7 + 2];
	size_t n = 0;
	for (size_t size = 1; size <= POOL_LARGEST + 7; size += 7) {
		held[n] = pool_alloc(size);
		memset(held[n], (int)(n & 0xff), size);
		n++;
	}
	size_t i = 0;
	for (size_t size = 1; size <= POOL_LARGEST + 7; size += 7, i++) {
		for (size_t at = 0; at < size; at++) {
			cr_assert_eq(held[i][at], i & 0xff, "piece %zu of %zu bytes", i, size);
		}
		pool_free(held[i], size);
	}
	cr_assert_eq(i, n);
	pool_free(NULL, 8);
}

Test(pool, gives_zeroes_where_asked)
{
	for (int i = 0; i < 3; i++) {
		char *p = pool_alloc_zeroed(300);
		for (int k = 0; k < 300; k++) {
			cr_assert_eq(p[k], 0);
		}
		memset(p, 0xff, 300);
		pool_free(p, 300);
	}
}

#define ROUNDS 200
#define PIECES 500
#define SIZE 700

/* One thread allocates and fills, the other checks and frees. */
struct handover {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t *pieces[PIECES];
	int n;
};

static void *receive(void *arg)
{
	struct handover *h = arg;
	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&h->lock);
		while (h->n == 0) {
			pthread_cond_wait(&h->changed, &h->lock);
		}
		for (int i = 0; i < h->n; i++) {
			for (size_t k = 0; k < SIZE / sizeof(uint32_t); k++) {
				if (h->pieces[i][k] != (uint32_t)(round * PIECES + i)) {
					abort();
				}
			}
			pool_free(h->pieces[i], SIZE);
		}
		h->n = 0;
		pthread_cond_signal(&h->changed);
		pthread_mutex_unlock(&h->lock);
	}
	return NULL;
}

Test(pool, hands_memory_from_thread_to_thread)
{
	static struct handover h = {
	        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, receive, &h), 0);
	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&h.lock);
		while (h.n) {
			pthread_cond_wait(&h.changed, &h.lock);
		}
		for (int i = 0; i < PIECES; i++) {
			h.pieces[i] = pool_alloc(SIZE);
			for (size_t k = 0; k < SIZE / sizeof(uint32_t); k++) {
				h.pieces[i][k] = (uint32_t)(round * PIECES + i);
			}
		}
		h.n = PIECES;
		pthread_cond_signal(&h.changed);
		pthread_mutex_unlock(&h.lock);
	}
	pthread_join(thread, NULL);
}
