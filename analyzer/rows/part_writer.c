#include "analyzer/rows/part_writer.h"

#include "analyzer/rows/row_writer.h"

static void flush_line(struct part_writer *w)
{
	fwrite(w->line.data, 1, w->line.len, w->to);
	buf_clear(&w->line);
}

static void put(struct part_writer *w, const struct row *row)
{
	w->rows++;
	if (!w->csv) {
		row_put_json(&w->line, row);
		flush_line(w);
	} else if (row->type == PAIR_ROW) {
		row_put_csv(&w->line, row);
		flush_line(w);
	}
}

static void take_pair(void *arg, const struct pair_row *row, const struct pair_texts *texts)
{
	put(arg, &(struct row){.type = PAIR_ROW, .pair = *row});
}

static void take_left_out(void *arg, const struct left_out_row *row)
{
	put(arg, &(struct row){.type = LEFT_OUT_ROW, .left_out = *row});
}

static void take_floor(void *arg, const struct floor_row *row)
{
	put(arg, &(struct row){.type = FLOOR_ROW, .floor = *row});
}

static void take_samples(void *arg, const struct samples_row *row)
{
	put(arg, &(struct row){.type = SAMPLES_ROW, .samples = *row});
}

static void take_crosstalk(void *arg, const struct crosstalk_row *row)
{
	put(arg, &(struct row){.type = CROSSTALK_ROW, .crosstalk = *row});
}

static void take_leg(void *arg, const struct leg_summary *row)
{
	put(arg, &(struct row){.type = LEG_ROW, .leg = *row});
}

static void take_times(void *arg, const struct times_row *row)
{
	put(arg, &(struct row){.type = TIMES_ROW, .times = *row});
}

static void take_score(void *arg, const struct score_row *row)
{
	put(arg, &(struct row){.type = SCORE_ROW, .score = *row});
}

static void take_opinion(void *arg, const struct opinion_row *row)
{
	put(arg, &(struct row){.type = OPINION_ROW, .opinion = *row});
}

static void take_stack(void *arg, const struct stack_row *row)
{
	put(arg, &(struct row){.type = STACK_ROW, .stack = *row});
}

void part_writer_begin(struct part_writer *w, const struct part_row *part)
{
	if (w->csv) {
		row_put_csv_header(&w->line, PAIR_ROW);
		flush_line(w);
	} else {
		put(w, &(struct row){.type = PART_ROW, .part = *part});
	}
	w->rows = 0;
}

struct row_sink part_writer_sink(struct part_writer *w)
{
	return (struct row_sink){
	        .arg = w,
	        .pair = take_pair,
	        .left_out = take_left_out,
	        .floor = take_floor,
	        .samples = take_samples,
	        .crosstalk = take_crosstalk,
	        .leg = take_leg,
	        .times = take_times,
	        .score = take_score,
	        .opinion = take_opinion,
	        .stack = take_stack,
	};
}

void part_writer_end(struct part_writer *w, const struct part_end *end)
{
	struct row row = {.type = END_ROW, .end = *end};
	row.end.rows = w->rows;
	put(w, &row);
}

void part_writer_finish(struct part_writer *w)
{
	buf_finish(&w->line);
}
