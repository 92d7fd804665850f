#pragma once
/*
 * prefixes - the simulated engine's prefix cache: which beginnings of prompts were seen before, by
 * hashes of whole blocks. One thread.
 */
#include <stdint.h>

#include "backends/engine/vocabulary.h"

struct prefixes;

struct prefixes *prefixes_create(void);
void prefixes_destroy(struct prefixes *p); /* NULL is fine */
/* salt: prompts with another one share nothing. How many of the prompt's first tokens were seen in whole blocks; from now on all of its blocks
 * were. p NULL: there is no cache. */
int64_t prefixes_look_up(struct prefixes *p, const struct tokens *prompt, uint64_t salt);
