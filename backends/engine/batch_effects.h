#pragma once
/*
 * batch_effects - simulates effects of concurrent requests on an answer: a warm cache, a full
 * batch, an earlier failure, another request's text.
 *
 * Real engines have faults that appear only with several requests. Each worker has one struct
 * batch_effects; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/fault.h"
#include "backends/engine/vocabulary.h"
#include "base/list.h"
#include "base/rng.h"

/* A request in progress, in the list of its worker's batch_effects. */
struct presence {
	struct list link;
	const struct tokens *prompt;
};

struct batch_effects {
	struct list present;
	uint32_t n;        /* requests in progress */
	uint32_t poisoned; /* the number of next answers that will be spoilt */
};

void batch_effects_init(struct batch_effects *c);
/* prompt must be unchanged until batch_effects_leave(). */
void batch_effects_enter(struct batch_effects *c, struct presence *p, const struct tokens *prompt);
/* Does nothing if p is in no list. */
void batch_effects_leave(struct batch_effects *c, struct presence *p);
/* Call it if a request failed. With the fault "poison" the next answers are then spoilt. */
void batch_effects_failed(struct batch_effects *c, const struct fault_set *faults);
/* Call it when an answer begins. True: the answer is spoilt. */
bool batch_effects_spoils(struct batch_effects *c);
/* The standard deviation, in nats, of the noise that a full batch and a warm cache add to an
 * answer. cached: tokens of the prompt in the prefix cache. */
double batch_effects_noise(
        const struct batch_effects *c, const struct fault_set *faults, int64_t cached);
/* The fault "mixup": with the fault's probability, returns a hash of the prompt of another request
 * in progress; else, or if there is none, 0. */
uint64_t batch_effects_mix_up(const struct batch_effects *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random);
/* The fault "crosstalk": with the fault's probability, appends the last tokens of the prompt of
 * another request in progress, which will appear in this answer. */
void batch_effects_overhear(const struct batch_effects *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random, struct tokens *to);
