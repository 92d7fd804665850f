#include "analyzer/rows/draws_memory.h"

#include <math.h>

#include "base/check.h"

static const struct hash_layout LAYOUT = {sizeof(struct draws_memory_request), sizeof(uint64_t)};

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
	uint64_t hash = request ? request : 1;
	bool is_new;
	struct draws_memory_request *r = hash_table_add(&m->requests, LAYOUT, &hash, &is_new);
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
	hash_table_finish(&m->requests);
}
