#include "analyzer/analysis_exchange.h"

#include "analyzer/fold.h"

void exchange_folder_init(struct exchange_folder *f, struct capture *c,
        const struct analysis_options *options, struct slices *slices)
{
	*f = (struct exchange_folder){
	        .options = options,
	        .maker = {.capture = c,
	                .wish = &options->wish,
	                .base_label = options->base_label,
	                .test_label = options->test_label,
	                .slices = slices},
	};
}

void exchange_folder_finish(struct exchange_folder *f)
{
	row_maker_finish(&f->maker);
}

static void take_pair(void *arg, const struct pair_row *row, const struct pair_texts *texts)
{
	struct exchange_folder *f = arg;
	fold_pair(f->to, row, texts, f->options->exhibits);
}

static void take_left_out(void *arg, const struct left_out_row *row)
{
	struct exchange_folder *f = arg;
	fold_left_out(f->to, row);
}

static void take_floor(void *arg, const struct floor_row *row)
{
	struct exchange_folder *f = arg;
	fold_floor(f->to, row);
}

static void take_leg(void *arg, const struct leg_summary *row)
{
	struct exchange_folder *f = arg;
	timed_legs_add(&f->to->timed, row);
	fold_leg(f->to, row);
}

static void take_score(void *arg, const struct forced_pair *pair)
{
	struct exchange_folder *f = arg;
	forced_add(&f->to->forced, pair);
}

static void take_orphan(void *arg)
{
	struct exchange_folder *f = arg;
	f->to->forced.orphans++;
}

/* Counts an exchange without anything to compare. */
static bool is_of_no_use(struct analysis *to, const struct capture_exchange *e)
{
	if (!e->absent && e->row.endpoint == ENDPOINT_MESSAGES) {
		to->counts.not_read++;
		return true;
	}
	if (!e->absent && e->row.endpoint == ENDPOINT_OTHER) {
		to->counts.not_understood++;
		return true;
	}
	return false;
}

void exchange_folder_add(struct exchange_folder *f, struct analysis *to, struct capture_exchange *e)
{
	if (!selection_takes(&f->options->selection, f->maker.capture, e, &to->counts.left_out)) {
		return;
	}
	to->counts.chosen++;
	to->timed.exchanges++;
	to->counts.absent += e->absent;
	for (size_t i = 0; i < e->n_legs; i++) {
		slices_note(&to->slices, &e->legs[i].row);
	}
	const struct row_sink sink = {.arg = f,
	        .pair = take_pair,
	        .left_out = take_left_out,
	        .floor = take_floor,
	        .leg = take_leg,
	        .score = take_score,
	        .orphan = take_orphan};
	f->to = to;
	exchange_leg_rows(e, &sink);
	if (is_of_no_use(to, e)) {
		return;
	}
	repeats_add(&to->repeats, e);
	repeats_add_sampled(&to->samples, e);
	to->counts.unpaired += exchange_rows(&f->maker, e, &sink) == 0;
}
