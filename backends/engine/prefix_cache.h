#pragma once
/*
 * prefix_cache - the simulated engine's prefix cache: remembers beginnings of prompts, by hashes of
 * whole blocks of 16 tokens. One thread.
 */
#include <stdint.h>

#include "backends/engine/vocabulary.h"

struct prefix_cache;

struct prefix_cache *prefix_cache_create(void);
void prefix_cache_destroy(struct prefix_cache *p); /* NULL is fine */
/* Returns how many of the prompt's first tokens are in known blocks, then adds all its blocks.
 * Prompts with different salts share nothing. p NULL: there is no cache. */
int64_t prefix_cache_look_up(struct prefix_cache *p, const struct tokens *prompt, uint64_t salt);
