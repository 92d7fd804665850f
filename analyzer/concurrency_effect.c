#include "analyzer/concurrency.h"

#include <string.h>

#include "base/check.h"

enum { ALONE, LOADED, N_RATES };

void concurrency_effect(const struct concurrency_answer *answers, size_t n, struct estimate *ret)
{
	static const struct rate_term TERMS[] = {{LOADED, LOADED, 1}, {ALONE, ALONE, -1}};
	struct clusters *c = clusters_create(N_RATES);
	for (size_t i = 0; i < n; i++) {
		const struct concurrency_answer *a = &answers[i];
		uint8_t key[CLUSTERS_KEY_SIZE] = {0};
		if (a->marks & CONCURRENCY_FAILED) {
			continue;
		}
		memcpy(key, &a->cluster, sizeof(a->cluster));
		clusters_add(c, clusters_row(c, key), a->level > 0 ? LOADED : ALONE,
		        (a->marks & CONCURRENCY_DIFFERS) != 0, 1);
	}
	clusters_estimate_rates(c, TERMS, ARRAY_LEN(TERMS), ret);
	clusters_destroy(c);
}
