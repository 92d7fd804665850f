#include "analyzer/pairs_walk.h"

/* What a block sums up is of no use here; it is let go before it grows. */
#define BLOCK 256

void pairs_walk(struct capture *c, const struct analysis_options *options,
        void (*on_greedy)(void *arg, const struct trial_greedy *pair), void *arg)
{
	struct slices slices = {.by = options->by};
	struct trial trial = {
	        .capture = c,
	        .options = options,
	        .slices = &slices,
	        .on_greedy = on_greedy,
	        .arg = arg,
	};
	struct capture_exchange e;
	bool more = true;
	capture_rewind(c);
	while (more) {
		struct analysis block = {0};
		for (size_t i = 0; i < BLOCK && (more = capture_next(c, &e) == 1); i++) {
			trial_exchange(&trial, &block, &e);
			capture_exchange_finish(&e);
		}
		analysis_finish(&block);
	}
	trial_finish(&trial);
	slices_finish(&slices);
	capture_rewind(c);
}
