#include "analyzer/pairs_walk.h"

struct walk {
	void (*on_greedy)(void *arg, const struct pair_row *row, const struct pair_texts *texts);
	void *arg;
};

static void take_pair(void *arg, const struct pair_row *row, const struct pair_texts *texts)
{
	const struct walk *w = arg;
	if (texts && !row->is_floor && row->c.decoding == DECODING_GREEDY) {
		w->on_greedy(w->arg, row, texts);
	}
}

static void walk_exchange(struct row_maker *m, const struct analysis_options *o,
        struct capture_exchange *e, const struct row_sink *sink)
{
	struct selection_counts none = {0};
	if (selection_takes(&o->selection, m->capture, e, &none) &&
	        (e->absent || endpoint_is_openai(e->row.endpoint))) {
		(void)exchange_rows(m, e, sink);
	}
}

void pairs_walk(struct capture *c, const struct analysis_options *options,
        void (*on_greedy)(void *arg, const struct pair_row *row, const struct pair_texts *texts),
        void *arg)
{
	struct slices slices = {.by = options->by};
	struct row_maker maker = {
	        .capture = c,
	        .wish = &options->wish,
	        .base_label = options->base_label,
	        .test_label = options->test_label,
	        .slices = &slices,
	};
	struct walk walk = {on_greedy, arg};
	const struct row_sink sink = {.arg = &walk, .pair = take_pair};
	struct capture_exchange e;
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		walk_exchange(&maker, options, &e, &sink);
		capture_exchange_finish(&e);
	}
	row_maker_finish(&maker);
	slices_finish(&slices);
	capture_rewind(c);
}
