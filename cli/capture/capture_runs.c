/*
 * plumbline capture ls --runs - which backends answered in which run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/moment.h"
#include "capture/run_index.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "base/plural.h"
#include "base/sanitize_text.h"
#include "capture/record_json.h"

/* The place of the time within a moment's text. */
#define TIME_OF_DAY 11

static size_t run_length(const struct run_index *r, size_t from)
{
	size_t n = 1;
	while (from + n < r->n && r->entries[from + n].number == r->entries[from].number) {
		n++;
	}
	return n;
}

static void put_text(struct buf *to, const struct run_index_entry *e, size_t n)
{
	char id[ID_TEXT_SIZE], from[MOMENT_TEXT_SIZE], until[MOMENT_TEXT_SIZE];
	uint64_t first = UINT64_MAX, last = 0;
	for (size_t i = 0; i < n; i++) {
		first = MIN(first, e[i].first_ns);
		last = MAX(last, e[i].last_ns);
	}
	moment_format(first, from);
	moment_format(last, until);
	bool same_day = strncmp(from, until, TIME_OF_DAY) == 0;
	buf_printf(to, "%6u  %s\n        %s to %s", e->number, id_format(e->run, id), from,
	        until + (same_day ? TIME_OF_DAY : 0));
	for (size_t i = 0; i < n; i++) {
		buf_append_str(to, "\n        ");
		sanitize_put(to, span_of(e[i].backend), 40);
		buf_printf(to, " (%s) %" PRIu64, role_name(e[i].role), e[i].legs);
	}
}

/* Writes one object per backend and run. */
static void put_json(struct buf *to, const struct run_index_entry *e)
{
	char id[ID_TEXT_SIZE];
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_count(&w, "number", e->number);
	json_writer_text(&w, "run", id_format(e->run, id));
	record_json_text(&w, "backend", e->backend);
	json_writer_text(&w, "role", role_name(e->role));
	json_writer_count(&w, "answers", e->legs);
	json_writer_count(&w, "first_ns", e->first_ns);
	json_writer_count(&w, "last_ns", e->last_ns);
	json_writer_close(&w, "}");
}

static void print_line(struct buf *line)
{
	buf_append_char(line, '\n');
	fwrite(line->data, 1, line->len, stdout);
	buf_clear(line);
}

int capture_ls_runs(const char *const *dirs, size_t n_dirs, bool json)
{
	int code = EXIT_PASS;
	struct capture *c = input_open("capture", dirs, n_dirs, &code);
	if (!c) {
		return code;
	}
	struct run_index r;
	struct buf line = {0};
	run_index_read(&r, c);
	if (!json && r.n > 0) {
		buf_append_str(&line, "NUMBER  RUN\n"
		                      "        FIRST ANSWER BEGAN to LAST\n"
		                      "        BACKEND (ROLE) ANSWERS");
		print_line(&line);
	}
	for (size_t i = 0; i < r.n;) {
		size_t n = json ? 1 : run_length(&r, i);
		if (json) {
			put_json(&line, &r.entries[i]);
		} else {
			put_text(&line, &r.entries[i], n);
		}
		print_line(&line);
		i += n;
	}
	if (r.beyond > 0) {
		fprintf(stderr, "plumbline capture: %" PRIu64 " %s of further runs not listed\n",
		        r.beyond, plural(r.beyond, "answer", "answers"));
	}
	buf_finish(&line);
	code = verb_flush("capture", r.n > 0 ? EXIT_PASS : input_empty("capture", c, dirs, n_dirs));
	run_index_finish(&r);
	return input_close("capture", c, code);
}
