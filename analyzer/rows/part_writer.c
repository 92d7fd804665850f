#include "analyzer/rows/part_writer.h"

#include "analyzer/rows/row_writer.h"

static void flush_line(struct part_writer *w)
{
	fwrite(w->line.data, 1, w->line.len, w->to);
	buf_clear(&w->line);
}

static void put(void *writer, const struct row *row, const struct pair_texts *texts)
{
	struct part_writer *w = writer;
	w->rows++;
	if (!w->csv) {
		row_put_json(&w->line, row);
		flush_line(w);
	} else if (row->type == PAIR_ROW) {
		row_put_csv(&w->line, row);
		flush_line(w);
	}
}

void part_writer_begin(struct part_writer *w, const struct part_row *part)
{
	if (w->csv) {
		row_put_csv_header(&w->line, PAIR_ROW);
		flush_line(w);
	} else {
		put(w, &(struct row){.type = PART_ROW, .part = *part}, NULL);
	}
	w->rows = 0;
}

struct row_sink part_writer_sink(struct part_writer *w)
{
	return (struct row_sink){ALL_ROWS, put, w};
}

void part_writer_end(struct part_writer *w, const struct part_end *end)
{
	struct row row = {.type = END_ROW, .end = *end};
	row.end.rows = w->rows;
	put(w, &row, NULL);
}

void part_writer_finish(struct part_writer *w)
{
	buf_finish(&w->line);
}
