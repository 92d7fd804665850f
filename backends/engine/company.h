#pragma once
/*
 * company - effects of concurrent requests on an answer: a warm cache, a full batch, an earlier
 * failure, another request's text.
 *
 * Real engines have faults that only appear with several requests. There is one company for each
 * worker; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/fault.h"
#include "backends/engine/vocabulary.h"
#include "base/rng.h"

/* A request that is being answered. */
struct presence {
	struct presence *next, **link; /* link NULL: not registered */
	const struct tokens *prompt;
};

struct company {
	struct presence *present;
	uint32_t n;
	uint32_t poisoned; /* number of later answers that a failure will spoil */
};

void company_enter(struct company *c, struct presence *p, const struct tokens *prompt);
/* does nothing if it is not registered */
void company_leave(struct company *c, struct presence *p);
/* A request failed. The fault "poison" spoils answers that begin after it. */
void company_failed(struct company *c, const struct fault_set *faults);
/* True if the answer that begins now is spoilt; counts it. */
bool company_spoils(struct company *c);
/* Standard deviation, in nats, of the noise that a full batch and a warm cache add to an answer. */
double company_noise(const struct company *c, const struct fault_set *faults, int64_t cached);
/* The fault "mixup": with its probability, a hash of another running prompt; else 0. */
uint64_t company_mix_up(const struct company *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random);
/*
 * The fault "crosstalk": with its probability, appends the last tokens of another running prompt,
 * which will appear within this answer.
 */
void company_overhear(const struct company *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random, struct tokens *to);
