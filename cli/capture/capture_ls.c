#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/terminal.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "base/sanitize_text.h"
#include "base/moment.h"
#include "cli/progress_count.h"
#include "capture/exchange_json.h"
#include "cli/capture/last_list.h"

#define LEG_WIDTH 56
#define INDENT 7
#define GAP 1 /* between columns */

enum { COLUMN_NO, COLUMN_ID, COLUMN_TIME, COLUMN_ENDPOINT, N_COLUMNS };
/* The model takes the rest of the line. */
static const struct {
	const char *name;
	size_t width;
} COLUMNS[N_COLUMNS] = {
        [COLUMN_NO] = {"NO", 5},
        [COLUMN_ID] = {"ID", 8},
        [COLUMN_TIME] = {"TIME", 24},
        [COLUMN_ENDPOINT] = {"ENDPOINT", 13},
};

/* Pads the text to a width on the screen. Counts characters, not bytes. */
static void put_column(struct buf *to, struct span text, size_t width)
{
	size_t from = to->len, shown = 0;
	sanitize_put(to, text, width);
	for (size_t i = from; i < to->len; i++) {
		shown += ((uint8_t)to->data[i] & 0xc0) != 0x80;
	}
	for (; shown < width + GAP; shown++) {
		buf_append_char(to, ' ');
	}
}

static void put_tokens(struct buf *to, int64_t tokens)
{
	if (tokens >= 0) {
		buf_printf(to, "%" PRId64, tokens);
	} else {
		buf_append_char(to, '-');
	}
}

static void put_ms(struct buf *to, uint64_t us)
{
	if (us == UINT64_MAX) {
		buf_append_char(to, '-');
	} else {
		buf_printf(to, us < 10000 ? "%.1f" : "%.0f", (double)us / 1000);
	}
}

/* "prod (repeated) 200 stop 11 in, 40 out, 12/310 ms" */
static void put_leg(struct buf *to, const struct capture_exchange *e, const struct leg_row *row)
{
	sanitize_put(to, span_of(row->backend ? row->backend : "?"), 24);
	if (row->marks & LEG_SCORED) {
		bool judging = row->marks & LEG_JUDGING;
		bool grading = row->marks & LEG_GRADING;
		buf_append_str(to, judging ? ": judges " : grading ? ": grades " : ": scores of ");
		sanitize_put(to, span_of(capture_leg_backend(e, row->score_of)), 24);
		if (judging) {
			buf_append_str(to, " against ");
			sanitize_put(to, span_of(capture_leg_backend(e, row->judged_against)), 24);
		}
		return;
	}
	buf_append_str(to, row->repeat ? " (repeated)" : "");
	if (row->status) {
		buf_printf(to, " %d", row->status);
	}
	if (row->outcome != OUTCOME_COMPLETE) {
		buf_printf(to, " %s", outcome_name(row->outcome));
	} else if (row->finish) {
		buf_append_char(to, ' ');
		sanitize_put(to, span_of(row->finish), 16);
	}
	if (row->usage.prompt_tokens >= 0 || row->usage.completion_tokens >= 0) {
		buf_append_char(to, ' ');
		put_tokens(to, row->usage.prompt_tokens);
		buf_append_str(to, " in, ");
		put_tokens(to, row->usage.completion_tokens);
		buf_append_str(to, " out,");
	}
	if (row->status) {
		buf_append_char(to, ' ');
		if (row->first_content_us != UINT64_MAX) {
			put_ms(to, row->first_content_us);
			buf_append_char(to, '/');
		}
		put_ms(to, row->end_us);
		buf_append_str(to, " ms");
	}
}

/* Prints the legs below the exchange, as many on a line as fit the terminal. */
static void put_legs(struct buf *to, const struct capture_exchange *e, size_t width)
{
	struct buf cell = {0};
	size_t per_line = MAX((width - INDENT) / (LEG_WIDTH + GAP), (size_t)1);
	for (size_t i = 0; i < e->n_legs; i++) {
		bool last = i + 1 == e->n_legs || (i + 1) % per_line == 0;
		if (i % per_line == 0) {
			buf_printf(to, "\n%*s", INDENT, "");
		}
		put_leg(&cell, e, &e->legs[i].row);
		if (last) {
			sanitize_put(to, buf_span(&cell), width - INDENT);
		} else {
			put_column(to, buf_span(&cell), LEG_WIDTH);
		}
		buf_clear(&cell);
	}
	buf_finish(&cell);
}

/* The requested model; if the request names none, the first answer's. */
static const char *model_of(const struct capture_exchange *e)
{
	const char *model = e->row.model;
	for (size_t i = 0; i < e->n_legs && !model; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		model = leg->marks & LEG_SCORED ? NULL : leg->model;
	}
	return model ? model : "-";
}

static void put_row(struct buf *to, const struct capture_exchange *e, uint64_t n, size_t width)
{
	const struct exchange_row *row = &e->row;
	struct buf cells[N_COLUMNS] = {0};
	char id[ID_SHORT_SIZE];
	size_t left = width;
	if (n <= LAST_LIST_LIMIT) {
		buf_printf(&cells[COLUMN_NO], "@%" PRIu64, n);
	}
	buf_append_str(&cells[COLUMN_ID], id_format_short(row->id, id));
	moment_put(&cells[COLUMN_TIME], e->absent ? id_time_ms(row->id) * 1000000 : row->wall_ns);
	buf_printf(&cells[COLUMN_ENDPOINT], "%s%s", e->absent ? "-" : endpoint_name(row->endpoint),
	        row->streamed ? " stream" : "");
	for (size_t i = 0; i < N_COLUMNS; i++) {
		put_column(to, buf_span(&cells[i]), COLUMNS[i].width);
		left -= MIN(left, COLUMNS[i].width + GAP);
		buf_finish(&cells[i]);
	}
	sanitize_put(to, span_of(model_of(e)), left);
	put_legs(to, e, width);
}

static void put_heading(struct buf *to)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		put_column(to, span_of(COLUMNS[i].name), COLUMNS[i].width);
	}
	buf_printf(to, "MODEL\n%*sBACKEND: status, finish, tokens, first/total ms\n", INDENT, "");
}

static int list(const char *const *dirs, size_t n_dirs, bool json, uint64_t limit)
{
	int code = EXIT_PASS;
	struct capture *c = input_open("capture", dirs, n_dirs, &code);
	if (!c) {
		return code;
	}
	struct progress_count progress = {.what = "exchanges listed"};
	/* on a terminal the printed lines themselves show the progress */
	bool is_terminal = isatty(STDOUT_FILENO);
	size_t width = terminal_width(STDOUT_FILENO);
	struct buf line = {0};
	struct capture_exchange e;
	struct last_list listed = {0};
	uint64_t n = 0;
	while (n < limit && !ferror(stdout) && capture_next(c, &e) > 0) {
		if (n++ == 0 && !json) {
			put_heading(&line);
		}
		if (json) {
			exchange_json_put_row(&line, &e);
		} else {
			put_row(&line, &e, n, width);
		}
		buf_append_char(&line, '\n');
		fwrite(line.data, 1, line.len, stdout);
		buf_clear(&line);
		last_list_add(&listed, e.row.id);
		capture_exchange_finish(&e);
		if (!is_terminal) {
			progress_count(&progress, n);
		}
	}
	progress_count_end(&progress);
	buf_finish(&line);
	if (n > 0 && !json) {
		char *words = input_words(c);
		printf("Show one: plumbline capture show %s @1\n", words);
		free(words);
	}
	code = verb_flush(
	        "capture", n || limit == 0 ? EXIT_PASS : input_empty("capture", c, dirs, n_dirs));
	last_list_keep(&listed, c); /* after the flush, which looks at errno */
	return input_close("capture", c, code);
}

struct ls {
	bool runs, json;
	uint64_t limit;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"runs", 0, NULL, "list the runs instead: number, id, time and answers of each backend",
                OPT_BOOL(struct ls, runs)},
        {"json", 0, NULL, "print one JSON object a line", OPT_BOOL(struct ls, json)},
        {"limit", 'n', "N", "list only the first N exchanges",
                OPT_NUMBER(struct ls, limit, 0, UINT64_MAX)},
        OPT_END,
};

static const struct verb LS = {
        .name = "capture ls",
        .usage = "DIR... [options]",
        .about = "Lists the exchanges of a capture, oldest first: number, end of the id, time, "
                 "endpoint and model (the answer's, if the request names none); then for each "
                 "backend's answer: status, finish reason (or "
                 "error), prompt and answer tokens, and milliseconds to the first content and to "
                 "the end. Commands that take an ID accept the number (@3) and the end of the id.",
        .options = OPTIONS,
        .examples = "plumbline capture ls capture\n"
                    "plumbline capture ls --json capture \\\n"
                    "    | jq -r 'select(.outcome != \"complete\") | .id'",
        .exit_codes = "0 listed, 2 command line or not a capture, 3 a segment or row could not "
                      "be read (the others are listed), 4 there is no exchange",
};

int command_capture_ls(int argc, char **argv)
{
	struct ls o = {.limit = UINT64_MAX};
	struct operands dirs;
	int code;
	if (!verb_read_dirs(&LS, argc, argv, &o, &dirs, &code)) {
		return code;
	}
	return o.runs ? capture_ls_runs(dirs.words, dirs.n, o.json)
	              : list(dirs.words, dirs.n, o.json, o.limit);
}
