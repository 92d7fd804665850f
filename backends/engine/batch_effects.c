#include "backends/engine/batch_effects.h"

#include <math.h>

#include "base/check.h"

#define OVERHEARD_TOKENS 12

void batch_effects_init(struct batch_effects *c)
{
	*c = (struct batch_effects){0};
	list_init(&c->present);
}

void batch_effects_enter(struct batch_effects *c, struct presence *p, const struct tokens *prompt)
{
	p->prompt = prompt;
	list_append(&c->present, &p->link);
	c->n++;
}

void batch_effects_leave(struct batch_effects *c, struct presence *p)
{
	c->n -= p->link.next != NULL;
	list_remove(&p->link);
}

void batch_effects_failed(struct batch_effects *c, const struct fault_set *faults)
{
	if (fault_on(faults, FAULT_POISON)) {
		c->poisoned = (uint32_t)MIN(faults->value[FAULT_POISON], UINT32_MAX);
	}
}

bool batch_effects_spoils(struct batch_effects *c)
{
	if (c->poisoned == 0) {
		return false;
	}
	c->poisoned--;
	return true;
}

double batch_effects_noise(
        const struct batch_effects *c, const struct fault_set *faults, int64_t cached)
{
	double load = fault_value(faults, FAULT_LOAD, 0) * (c->n > 1 ? c->n - 1 : 0);
	double cache = cached > 0 ? fault_value(faults, FAULT_CACHE, 0) : 0;
	return sqrt(load * load + cache * cache);
}

/* Picks one of the other requests, uniformly at random. */
static const struct presence *another(
        const struct batch_effects *c, const struct presence *self, struct rng *random)
{
	uint32_t others = c->n - (self->link.next != NULL);
	uint32_t skip = others > 0 ? rng_below(random, others) : 0;
	LIST_EACH(struct presence, p, link, &c->present)
	{
		if (p != self && skip-- == 0) {
			return p;
		}
	}
	return NULL;
}

void batch_effects_overhear(const struct batch_effects *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random, struct tokens *to)
{
	if (!fault_on(faults, FAULT_CROSSTALK) ||
	        rng_unit(random) >= faults->value[FAULT_CROSSTALK]) {
		return;
	}
	const struct presence *p = another(c, self, random);
	size_t n = p ? p->prompt->n : 0;
	for (size_t i = n > OVERHEARD_TOKENS ? n - OVERHEARD_TOKENS : 0; i < n; i++) {
		if (p->prompt->items[i] >= TOKEN_CONTROLS) {
			tokens_push(to, p->prompt->items[i]);
		}
	}
}

uint64_t batch_effects_mix_up(const struct batch_effects *c, const struct presence *self,
        const struct fault_set *faults, struct rng *random)
{
	if (!fault_on(faults, FAULT_MIXUP) || rng_unit(random) >= faults->value[FAULT_MIXUP]) {
		return 0;
	}
	const struct presence *p = another(c, self, random);
	return p ? tokens_hash(p->prompt, 0) | 1 : 0;
}
