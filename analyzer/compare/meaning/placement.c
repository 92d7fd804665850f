#include "analyzer/compare/meaning/placement.h"

#include "base/ascii.h"

static bool has_text_calls(const struct choice *c)
{
	return c->n_calls > 0 && c->calls[0].in_text;
}

bool placement_differs(const struct choice *base, const struct choice *test)
{
	return (base->n_thoughts > 0) != (test->n_thoughts > 0) ||
	       has_text_calls(base) != has_text_calls(test);
}

static void trim(struct buf *b)
{
	struct span inside = span_trim(buf_span(b));
	size_t from = (size_t)(inside.data - b->data);
	b->len = from + inside.len;
	buf_consume(b, from);
}

void placement_normalise(const struct choice *from, struct choice *ret)
{
	*ret = *from;
	ret->text = ret->reasoning = (struct buf){0};
	ret->thoughts = NULL;
	ret->n_thoughts = 0;
	choice_answer(from, &ret->text);
	choice_reasoning(from, &ret->reasoning);
	trim(&ret->text);
	trim(&ret->reasoning);
}

void placement_finish(struct choice *normalised)
{
	buf_finish(&normalised->text);
	buf_finish(&normalised->reasoning);
}

void placement_count(
        struct placements *p, enum reasoning_place base, enum reasoning_place test, bool normalised)
{
	expect(base < PLACES && test < PLACES);
	p->n[base][test]++;
	p->normalised += normalised;
}

uint64_t placement_of(const struct placements *p, bool test, enum reasoning_place place)
{
	uint64_t n = 0;
	for (size_t i = 0; i < PLACES; i++) {
		n += test ? p->n[i][place] : p->n[place][i];
	}
	return n;
}

uint64_t placement_total(const struct placements *p)
{
	uint64_t n = 0;
	for (size_t i = 0; i < PLACES; i++) {
		n += placement_of(p, false, (enum reasoning_place)i);
	}
	return n;
}

enum reasoning_place placement_usual(const struct placements *p, bool test)
{
	enum reasoning_place usual = REASONING_NONE;
	uint64_t most = 0;
	for (enum reasoning_place i = REASONING_FIELD; i < PLACES; i++) {
		uint64_t n = placement_of(p, test, i);
		usual = n > most ? i : usual;
		most = MAX(most, n);
	}
	return usual;
}

bool placement_usual_differs(const struct placements *p)
{
	uint64_t total = placement_total(p), unlike = total;
	for (size_t i = 0; i < PLACES; i++) {
		unlike -= p->n[i][i];
	}
	/* A single answer may contain a tag that marks no reasoning, because an engine that samples
	 * may write anything once. */
	bool many = unlike >= PLACEMENT_USUAL_LEAST || 2 * unlike >= total;
	return unlike > 0 && many && placement_usual(p, false) != placement_usual(p, true);
}
