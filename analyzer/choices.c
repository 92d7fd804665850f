#include "analyzer/choices.h"

const struct choice *choices_at(const struct reading *r, int32_t index)
{
	for (size_t i = 0; i < r->n_choices; i++) {
		if (r->choices[i].index == index) {
			return &r->choices[i];
		}
	}
	return NULL;
}

void choices_tokens(const struct reading *b, const struct choice *mine, const struct reading *t,
        const struct choice *other, int64_t *ret_base, int64_t *ret_test)
{
	bool counted = b->n_choices == 1 && t->n_choices == 1 && b->usage.completion_tokens >= 0 &&
	               t->usage.completion_tokens >= 0;
	bool columns = mine->has_columns && other->has_columns;
	*ret_base = counted ? b->usage.completion_tokens : columns ? (int64_t)mine->columns.n : -1;
	*ret_test = counted ? t->usage.completion_tokens : columns ? (int64_t)other->columns.n : -1;
}
