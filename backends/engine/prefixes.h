#pragma once
/*
 * prefixes - the simulated engine's prefix cache: remembers beginnings of prompts, by hashes of
 * whole blocks. One thread.
 */
#include <stdint.h>

#include "backends/engine/vocabulary.h"

struct prefixes;

struct prefixes *prefixes_create(void);
void prefixes_destroy(struct prefixes *p); /* NULL is fine */
/* Returns how many of the prompt's first tokens are in known blocks, then adds all its blocks.
 * Prompts with different salts share nothing. p NULL: there is no cache. */
int64_t prefixes_look_up(struct prefixes *p, const struct tokens *prompt, uint64_t salt);
