#include "analyzer/rows/draws_memory.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static struct draws_memory_request *place_of(const struct draws_memory *m, uint64_t hash)
{
	size_t at = hash & (m->room - 1);
	while (m->requests[at].hash && m->requests[at].hash != hash) {
		at = (at + 1) & (m->room - 1);
	}
	return &m->requests[at];
}

static void grow(struct draws_memory *m)
{
	struct draws_memory larger = {.n = m->n, .room = m->room ? 2 * m->room : 64};
	larger.requests = xcalloc(larger.room, sizeof(*larger.requests));
	for (size_t i = 0; i < m->room; i++) {
		if (m->requests[i].hash) {
			*place_of(&larger, m->requests[i].hash) = m->requests[i];
		}
	}
	free(m->requests);
	*m = larger;
}

static void keep(struct draws_memory_request *r, const struct draws_memory_answer *answer)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->answers[i].text == answer->text) {
			r->answers[i].n++;
			return;
		}
	}
	if (r->n < DRAWS_MEMORY_ANSWERS) {
		r->answers[r->n] = *answer;
		r->answers[r->n++].n = 1;
	}
}

void draws_memory_add(struct draws_memory *m, uint64_t request,
        const struct draws_memory_answer *answer, struct draws_before *ret)
{
	if (2 * m->n >= m->room) {
		grow(m);
	}
	uint64_t hash = request ? request : 1;
	struct draws_memory_request *r = place_of(m, hash);
	m->n += r->hash == 0;
	r->hash = hash;
	*ret = (struct draws_before){0};
	for (size_t i = 0; i < r->n; i++) {
		const struct draws_memory_answer *a = &r->answers[i];
		ret->same_seed |= answer->seed && a->seed == answer->seed;
		ret->pairs += a->n;
		ret->identical |= a->text == answer->text;
		ret->expected += exp(a->chance);
	}
	ret->expected = fmin(1, ret->expected);
	if (ret->same_seed) {
		*ret = (struct draws_before){.same_seed = true};
	} else {
		keep(r, answer);
	}
}

void draws_memory_finish(struct draws_memory *m)
{
	free(m->requests);
	*m = (struct draws_memory){0};
}
