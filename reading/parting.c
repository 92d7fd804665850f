#include "reading/parting.h"

#include "reading/spelling.h"

static struct span all_bytes(const struct columns *c)
{
	return (struct span){c->bytes, c->n ? c->bytes_end[c->n - 1] : 0};
}

void parting_walk_begin(const struct columns *a, const struct columns *b, struct parting_walk *w)
{
	w->started = true;
	w->same = span_shared(all_bytes(a), all_bytes(b));
}

static struct span words(const uint32_t *first, uint32_t n)
{
	return (struct span){(const char *)first, n * sizeof(*first)};
}

uint32_t parting_walk_together(const struct columns *a, const struct columns *b,
        const struct parting_walk *w, uint32_t most)
{
	uint32_t i = w->next_a, k = w->next_b, n = MIN(MIN(a->n - i, b->n - k), most);
	if (n == 0 || columns_token_from(a, i) != columns_token_from(b, k)) {
		return 0;
	}
	const uint32_t *ends = a->bytes_end + i;
	size_t at = span_shared(words(ends, n), words(b->bytes_end + k, n)) / sizeof(*ends);
	while (at > 0 && ends[at - 1] > w->same) {
		at--;
	}
	return (uint32_t)at;
}

/* Most answers begin alike, and their tokens too: each is a position, as the walk would find. */
static uint32_t pass_alike(const struct columns *a, const struct columns *b, struct parting_walk *w)
{
	parting_walk_begin(a, b, w);
	uint32_t n = parting_walk_together(a, b, w, UINT32_MAX);
	parting_walk_pass(w, n);
	return n;
}

void parting_find(const struct choice *a, const struct choice *b, struct parting *ret)
{
	struct span text_a = buf_span(&a->text), text_b = buf_span(&b->text);
	*ret = (struct parting){
	        .text_equal = span_equal(text_a, text_b),
	        .first_byte = span_shared(text_a, text_b),
	        .has_tokens = a->has_columns && b->has_columns && spelling_matches_whole(a) &&
	                      spelling_matches_whole(b),
	};
	struct parting_walk w = {0};
	if (ret->has_tokens) {
		ret->comparable = pass_alike(&a->columns, &b->columns, &w);
	}
	while (ret->has_tokens && parting_walk_next(&a->columns, &b->columns, &w)) {
		ret->comparable++;
		if (!w.equal && !ret->tokens_part) {
			ret->tokens_part = true;
			ret->first_token = w.a;
		}
	}
}
