#include "analyzer/rows/capture_walk.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/rows/leg_rows.h"
#include "analyzer/rows/repeat_floor.h"
#include "analyzer/rows/repeats.h"
#include "analyzer/rows/sampled.h"
#include "analyzer/rows/stacks.h"
#include "analyzer/stats/counts.h"
#include "base/clock.h"
#include "base/progress.h"
#include "capture/resend.h"

#define QUIET_NS UINT64_C(1000000000) /* time before it shows progress */

struct walk {
	struct capture *capture;
	const struct analysis_options *options;
	struct slices slices;
	struct stacks stacks; /* stacks of the legs in the rows */
	struct row_maker maker;
	struct repeats repeats, samples; /* repeats: of greedy requests; samples: of sampled ones */
	uint64_t chosen;                 /* exchanges, of all parts */
	uint64_t read, began;            /* for the progress */
	struct progress progress;
};

static void begin(struct walk *w, struct capture *c, const struct analysis_options *options)
{
	*w = (struct walk){
	        .capture = c,
	        .options = options,
	        .slices = {.by = options->by},
	        .began = clock_mono(),
	};
	w->maker = (struct row_maker){
	        .capture = c,
	        .names = &options->names,
	        .base_label = options->base_label,
	        .test_label = options->test_label,
	        .slices = &w->slices,
	};
	if (options->progress) {
		progress_begin(&w->progress);
	}
	capture_rewind(c);
}

static void end(struct walk *w)
{
	row_maker_finish(&w->maker);
	slices_finish(&w->slices);
	stacks_finish(&w->stacks);
	repeats_finish(&w->repeats);
	repeats_finish(&w->samples);
	progress_clear(&w->progress);
	capture_rewind(w->capture);
}

static void show_progress(struct walk *w)
{
	uint64_t now = w->progress.terminal ? clock_mono() : 0;
	w->read++;
	if (now > w->began + QUIET_NS && progress_is_due(&w->progress, now)) {
		progress_message(&w->progress, "%" PRIu64 " exchanges read", w->read);
	}
}

/* Reads the next chosen exchange, of any part; the caller finishes it. Returns false if there is
 * none. */
static bool next(struct walk *w, struct capture_exchange *ret, struct selection_counts *ret_out)
{
	while (capture_next(w->capture, ret) == 1) {
		struct selection_counts out = {0};
		bool taken = selection_apply(&w->options->selection, w->capture, ret, &out);
		if (part_has(w->options->part, part_hash(&ret->row))) {
			COUNTS_ADD(ret_out, &out);
		}
		if (taken) {
			return true;
		}
		capture_exchange_finish(ret);
	}
	return false;
}

uint64_t capture_walk_count(
        struct capture *c, const struct analysis_options *options, uint64_t *ret_resendable)
{
	struct walk w;
	struct capture_exchange e;
	struct selection_counts out = {0};
	uint64_t n = 0;
	begin(&w, c, options);
	*ret_resendable = 0;
	while (next(&w, &e, &out)) {
		n++;
		*ret_resendable += e.absent || !resend_is_redacted(&e.row);
		capture_exchange_finish(&e);
	}
	end(&w);
	return n;
}

/* Whether the exchange has nothing to compare; if so, counts it. */
static bool is_of_no_use(const struct capture_exchange *e, struct exchange_counts *counts)
{
	bool not_read = !e->absent && e->row.endpoint == ENDPOINT_MESSAGES;
	bool not_understood = !e->absent && e->row.endpoint == ENDPOINT_OTHER;
	counts->not_read += not_read;
	counts->not_understood += not_understood;
	return not_read || not_understood;
}

static void read_legs(struct walk *w, const struct capture_exchange *e, const struct row_sink *sink)
{
	for (size_t i = 0; row_sink_wants(sink, LEG_ROW) && i < e->n_legs; i++) {
		struct row row = {.type = LEG_ROW};
		if (!leg_row_summary(e, i, &row.leg)) {
			continue;
		}
		row_sink_put(sink, &row, NULL);
		if (leg_times_wanted(&row.leg, w->chosen)) {
			leg_times_row(w->capture, e, i, sink);
		}
	}
}

/* Emits one row for each stack of a backend, not for each leg. */
static void read_stacks(
        struct walk *w, const struct capture_exchange *e, const struct row_sink *sink)
{
	for (size_t i = 0; row_sink_wants(sink, STACK_ROW) && i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		struct row row = {
		        .type = STACK_ROW, .stack = {names_of_backend(leg), leg->manifest}};
		if (!id_is_zero(leg->manifest) && stacks_add(&w->stacks, &row.stack)) {
			char *name = slices_stack_name(w->capture, leg->manifest, true);
			row.stack.name = name;
			row_sink_put(sink, &row, NULL);
			free(name);
		}
	}
}

static void read_exchange(struct walk *w, const struct capture_exchange *e,
        const struct row_sink *sink, struct exchange_counts *counts)
{
	counts->chosen++;
	counts->absent += e->absent;
	read_legs(w, e, sink);
	read_stacks(w, e, sink);
	if (!is_of_no_use(e, counts)) {
		if (row_sink_wants(sink, FLOOR_ROW)) {
			repeats_add(&w->repeats, e);
		}
		if (row_sink_wants(sink, SAMPLES_ROW)) {
			repeats_add_sampled(&w->samples, e);
		}
		counts->unpaired += exchange_rows(&w->maker, e, sink) == 0;
	}
}

static void read_exchanges(
        struct walk *w, const struct row_sink *sink, struct exchange_counts *ret_counts)
{
	struct capture_exchange e;
	struct part part = w->options->part;
	*ret_counts = (struct exchange_counts){0};
	while (next(w, &e, &ret_counts->left_out)) {
		if (part_has(part, part_hash(&e.row))) {
			read_exchange(w, &e, sink, ret_counts);
			show_progress(w);
		}
		capture_exchange_finish(&e);
	}
}

static void read_repeats(
        struct walk *w, const struct row_sink *sink, struct repeat_counts *ret_repeats)
{
	const struct selection *selection = &w->options->selection;
	*ret_repeats = (struct repeat_counts){0};
	repeats_settle(&w->repeats);
	repeats_settle(&w->samples);
	if (row_sink_wants(sink, FLOOR_ROW)) {
		repeat_floor_rows(&w->maker, selection, &w->repeats, sink, ret_repeats);
	}
	if (row_sink_wants(sink, SAMPLES_ROW)) {
		sampled_rows(&w->maker, selection, &w->samples, sink);
	}
}

void capture_walk_rows(struct capture *c, const struct analysis_options *options, uint64_t chosen,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats)
{
	struct walk w;
	struct crosstalk talk = {.sink = sink};
	begin(&w, c, options);
	w.chosen = chosen;
	w.maker.draws.exchanges = chosen;
	w.repeats = (struct repeats){.exchanges = chosen, .most = REPEATS_OF_ONE};
	w.samples = (struct repeats){.exchanges = chosen, .most = REPEATS_OF_SAMPLED};
	bool has_crosstalk = part_is_whole(options->part) && row_sink_wants(sink, CROSSTALK_ROW);
	w.maker.crosstalk = has_crosstalk ? &talk : NULL;
	read_exchanges(&w, sink, ret_counts);
	crosstalk_end(&talk);
	w.maker.crosstalk = NULL;
	read_repeats(&w, sink, ret_repeats);
	end(&w);
}

void capture_walk_crosstalk(
        struct capture *c, const struct analysis_options *options, const struct row_sink *sink)
{
	const struct row_sink only = row_sink_only(sink, CROSSTALK_ROW);
	struct walk w;
	struct crosstalk talk = {.sink = &only};
	struct capture_exchange e;
	struct exchange_counts counts = {0};
	begin(&w, c, options);
	w.maker.crosstalk = &talk;
	w.maker.texts_only = true;
	while (next(&w, &e, &counts.left_out)) {
		if (!is_of_no_use(&e, &counts)) {
			(void)exchange_rows(&w.maker, &e, &only);
		}
		capture_exchange_finish(&e);
	}
	crosstalk_end(&talk);
	end(&w);
}

void capture_walk_part(struct capture *c, const struct analysis_options *options,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats)
{
	struct part part = options->part;
	uint64_t resendable, chosen = capture_walk_count(c, options, &resendable);
	capture_walk_rows(c, options, chosen, sink, ret_counts, ret_repeats);
	if (row_sink_wants(sink, CROSSTALK_ROW) && part.number == 1 && !part_is_whole(part)) {
		capture_walk_crosstalk(c, options, sink);
	}
}
