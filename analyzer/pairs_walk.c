#include "analyzer/pairs_walk.h"

struct listener {
	void (*on_greedy)(void *arg, const struct pair_row *row, const struct pair_texts *texts);
	void *arg;
};

static void take_pair(void *arg, const struct pair_row *row, const struct pair_texts *texts)
{
	const struct listener *l = arg;
	if (texts && !row->is_floor && row->c.decoding == DECODING_GREEDY) {
		l->on_greedy(l->arg, row, texts);
	}
}

void pairs_walk(struct capture *c, const struct analysis_options *options,
        void (*on_greedy)(void *arg, const struct pair_row *row, const struct pair_texts *texts),
        void *arg)
{
	struct listener listener = {on_greedy, arg};
	struct exchange_counts counts;
	struct repeat_counts repeats;
	const struct row_sink sink = {.arg = &listener, .pair = take_pair};
	walk_rows(c, options, 0, &sink, &counts, &repeats);
}
