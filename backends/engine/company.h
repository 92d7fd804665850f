#pragma once
/*
 * company - what an answer catches from the requests around it: a warm cache, a full batch, an
 * earlier failure, another's text.
 *
 * Real engines do wrong in these ways only in company, so that no single request shows it. One
 * company a worker; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/fault.h"
#include "backends/engine/vocabulary.h"
#include "base/rng.h"

/* A request that is being answered. */
struct presence {
	struct presence *next, **link; /* link NULL: not here */
	const struct tokens *prompt;
};

struct company {
	struct presence *present;
	uint32_t n;
	uint32_t poisoned; /* answers still to come that a failure spoils */
};

void company_enter(struct company *c, struct presence *p, const struct tokens *prompt);
void company_leave(struct company *c, struct presence *p); /* not here: nothing happens */
/* A request failed: the fault "poison" spoils the answers that begin after it. */
void company_failed(struct company *c, const struct fault_set *faults);
/* Is the answer that begins now one of them? Counts it. */
bool company_spoils(struct company *c);
/* Standard deviation, in nats, of the noise that a full batch and a warm cache add to an answer. */
double company_noise(const struct company *c, const struct fault_set *faults, int64_t cached);
/* The fault "mixup": by its chance, what stands for another present prompt; else 0. */
uint64_t company_mix_up(const struct company *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random);
/*
 * The fault "crosstalk": by its chance, the last tokens of another present prompt, to be said in
 * the midst of this answer; appended.
 */
void company_overhear(const struct company *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random, struct tokens *to);
