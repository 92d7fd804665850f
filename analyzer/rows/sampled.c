#include "analyzer/rows/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The answers to one request, by group. */
struct request_answers {
	char *base, *test; /* names of the group */
	struct two_sample_prompt prompt;
};

struct pass {
	struct row_maker *maker;
	const struct selection *selection;
	const struct row_sink *sink;
	struct request_answers *groups;
	size_t n_groups;
};

static struct two_sample_prompt *prompt_for(struct pass *p, const struct pair_row *row)
{
	for (size_t i = 0; i < p->n_groups; i++) {
		struct request_answers *g = &p->groups[i];
		if (strcmp(g->base, row->base.name) == 0 && strcmp(g->test, row->test.name) == 0) {
			return &g->prompt;
		}
	}
	p->groups = xrealloc(p->groups, (p->n_groups + 1) * sizeof(*p->groups));
	struct request_answers *fresh = &p->groups[p->n_groups++];
	*fresh = (struct request_answers){
	        .base = xstrdup(row->base.name), .test = xstrdup(row->test.name)};
	return &fresh->prompt;
}

static void take_pair(void *arg, const struct row *taken, const struct pair_texts *texts)
{
	const struct pair_row *row = &taken->pair;
	if (texts && row->c.decoding == DECODING_SAMPLED) {
		struct two_sample_prompt *prompt = prompt_for(arg, row);
		two_sample_add(&prompt->base, row->base.leg, texts->base);
		two_sample_add(&prompt->test, row->test.leg, texts->test);
	}
}

/* Whether the request is the same, byte for byte. Keeps the first one's body. */
static bool is_same_request(
        struct pass *p, const struct capture_exchange *e, struct buf *first, bool is_first)
{
	struct buf body = {0};
	struct buf *to = is_first ? first : &body;
	bool read = capture_request_body(p->maker->capture, e, to) == 0;
	bool same = read && (is_first || span_equal(buf_span(&body), buf_span(first)));
	buf_finish(&body);
	return same;
}

static void read_exchange(struct pass *p, struct id id, struct buf *first, bool is_first)
{
	struct capture_exchange e;
	if (!selection_find(p->selection, p->maker->capture, id, &e)) {
		return;
	}
	if (is_same_request(p, &e, first, is_first)) {
		const struct row_sink sink = {UINT32_C(1) << PAIR_ROW, take_pair, p};
		(void)exchange_rows(p->maker, &e, &sink);
	}
	capture_exchange_finish(&e);
}

static void give_rows(struct pass *p, uint64_t seed)
{
	for (size_t i = 0; i < p->n_groups; i++) {
		struct request_answers *g = &p->groups[i];
		struct row row = {.type = SAMPLES_ROW, .samples = {g->base, g->test}};
		two_sample_test(&g->prompt, seed, &row.samples.result);
		row_sink_put(p->sink, &row, NULL);
		free(g->base);
		free(g->test);
	}
	p->n_groups = 0;
}

/* items: exchanges with one request. */
static void read_request(struct pass *p, const struct repeat *items, size_t n)
{
	struct buf first = {0};
	uint64_t seed;
	memcpy(&seed, items[0].what, sizeof(seed));
	for (size_t i = 0; i < n; i++) {
		read_exchange(p, items[i].exchange, &first, i == 0);
	}
	give_rows(p, seed);
	buf_finish(&first);
}

void sampled_rows(struct row_maker *m, const struct selection *selection,
        const struct repeats *samples, const struct row_sink *sink)
{
	struct pass p = {.maker = m, .selection = selection, .sink = sink};
	m->texts_only = true;
	for (size_t i = 0, n; row_sink_wants(sink, SAMPLES_ROW) && i < samples->n; i += n) {
		n = repeats_of_condition(samples, i);
		if (n > 1 || samples->items[i].several) {
			read_request(&p, &samples->items[i], n);
		}
	}
	m->texts_only = false;
	free(p.groups);
}
