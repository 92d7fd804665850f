#include "analyzer/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/exchange_rows.h"
#include "base/mem.h"

/* What was answered to one prompt, by group. */
struct gathered {
	size_t group; /* of the first pass */
	struct two_sample_prompt prompt;
};

struct pass {
	struct capture *capture;
	const struct analysis_options *options;
	struct analysis *of;
	struct row_maker maker;
	struct gathered *gathered;
	size_t n_gathered;
	size_t exchanges; /* read */
};

static struct two_sample_prompt *prompt_for(struct pass *p, const struct pair_row *row)
{
	const struct analysis_group *g =
	        analysis_group_named(p->of, row->base.name, row->test.name);
	if (!g) {
		return NULL;
	}
	size_t group = (size_t)(g - p->of->groups);
	for (size_t i = 0; i < p->n_gathered; i++) {
		if (p->gathered[i].group == group) {
			return &p->gathered[i].prompt;
		}
	}
	p->gathered = xrealloc(p->gathered, (p->n_gathered + 1) * sizeof(*p->gathered));
	p->gathered[p->n_gathered] = (struct gathered){.group = group};
	return &p->gathered[p->n_gathered++].prompt;
}

static void take_pair(void *arg, const struct pair_row *row, const struct pair_texts *texts)
{
	struct two_sample_prompt *prompt =
	        texts && row->c.decoding == DECODING_SAMPLED ? prompt_for(arg, row) : NULL;
	if (prompt) {
		two_sample_add(&prompt->base, row->base.leg, texts->base);
		two_sample_add(&prompt->test, row->test.leg, texts->test);
	}
}

/* Was it the same request, byte for byte? The first one's body is kept. */
static bool is_same_request(
        struct pass *p, const struct capture_exchange *e, struct buf *first, bool is_first)
{
	struct buf body = {0};
	struct buf *to = is_first ? first : &body;
	bool read = capture_request_body(p->capture, e, to) == 0;
	bool same = read && (is_first || span_equal(buf_span(&body), buf_span(first)));
	buf_finish(&body);
	return same;
}

static void judge_exchange(struct pass *p, struct id id, struct buf *first, bool is_first)
{
	struct capture_exchange e;
	struct selection_counts none = {0};
	if (capture_find(p->capture, id, &e) < 0) {
		return;
	}
	p->exchanges++;
	if (selection_takes(&p->options->selection, p->capture, &e, &none) &&
	        is_same_request(p, &e, first, is_first)) {
		const struct row_sink sink = {.arg = p, .pair = take_pair};
		(void)exchange_rows(&p->maker, &e, &sink);
	}
	capture_exchange_finish(&e);
}

/* items: exchanges with one request. */
static void judge_request(struct pass *p, const struct repeat *items, size_t n)
{
	struct buf first = {0};
	uint64_t seed;
	memcpy(&seed, items[0].what, sizeof(seed));
	for (size_t i = 0; i < n; i++) {
		judge_exchange(p, items[i].exchange, &first, i == 0);
	}
	for (size_t i = 0; i < p->n_gathered; i++) {
		struct analysis_group *g = &p->of->groups[p->gathered[i].group];
		if (!g->sampled) {
			g->sampled = xcalloc(1, sizeof(*g->sampled));
		}
		two_sample_judge(g->sampled, &p->gathered[i].prompt, seed);
	}
	p->n_gathered = 0;
	buf_finish(&first);
}

void sampled_judge(struct capture *c, const struct analysis_options *options, struct analysis *a)
{
	struct pass p = {.capture = c, .options = options, .of = a};
	struct repeats *all = &a->samples;
	repeats_settle(all);
	p.maker = (struct row_maker){
	        .capture = c,
	        .wish = &options->wish,
	        .base_label = options->base_label,
	        .test_label = options->test_label,
	        .slices = &a->slices,
	};
	for (size_t i = 0, n; i < all->n && p.exchanges < SAMPLED_EXCHANGES_LIMIT; i += n) {
		n = repeats_of_condition(all, i);
		if (n > 1 || all->items[i].several) {
			judge_request(&p, &all->items[i], n);
		}
	}
	row_maker_finish(&p.maker);
	free(p.gathered);
}
