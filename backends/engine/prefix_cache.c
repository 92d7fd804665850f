#include "backends/engine/prefix_cache.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define SLOTS 65536
#define BLOCK 16

struct prefix_cache {
	uint64_t hashes[SLOTS];
};

struct prefix_cache *prefix_cache_create(void)
{
	return xcalloc(1, sizeof(struct prefix_cache));
}

void prefix_cache_destroy(struct prefix_cache *p)
{
	free(p);
}

int64_t prefix_cache_look_up(struct prefix_cache *p, const struct tokens *prompt, uint64_t salt)
{
	uint64_t hash = salt;
	int64_t cached = 0;
	bool hit = true;
	for (size_t i = 0; p && i < prompt->n; i++) {
		hash = rng_mix_pair(hash, prompt->items[i]);
		if ((i + 1) % BLOCK == 0) {
			uint64_t *slot = &p->hashes[hash % SLOTS];
			hit = hit && *slot == hash;
			cached += hit ? BLOCK : 0;
			*slot = hash;
		}
	}
	return cached;
}
