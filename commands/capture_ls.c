#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "commands/capture_verbs.h"
#include "commands/commands.h"
#include "commands/exchange_json.h"

static void usage(void)
{
	fputs("usage: plumbline capture ls [--json] [--limit N] DIR...\n"
	      "\n"
	      "Lists the exchanges of a capture, oldest first: id, time, endpoint, model, whether "
	      "it was streamed, outcome,\n"
	      "tokens of the prompt and of the answer, and each backend's status.\n"
	      "\n"
	      "  --json      one object a line instead of a table\n"
	      "  --limit N   the first N exchanges only\n"
	      "\n"
	      "examples:\n"
	      "  plumbline capture ls capture\n"
	      "  plumbline capture ls --json capture | jq -r 'select(.outcome != \"complete\") | "
	      ".id'\n"
	      "\n"
	      "Exit codes: 0 listed, 2 usage or not a capture, 3 a segment or row could not be "
	      "read (the others are listed),\n"
	      "4 there is no exchange.\n",
	        stdout);
}

/* Fills up to a width of the screen; characters count, not bytes. */
static void put_column(struct buf *to, struct span text, size_t width)
{
	size_t from = to->len, shown = 0;
	verbs_put_text(to, text, width);
	for (size_t i = from; i < to->len; i++) {
		shown += ((uint8_t)to->data[i] & 0xc0) != 0x80;
	}
	for (; shown < width + 2; shown++) {
		buf_append_char(to, ' ');
	}
}

static void put_legs(struct buf *to, const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		buf_append_str(to, i ? ", " : "");
		verbs_put_text(to, span_of(row->backend), 24);
		if (row->status) {
			buf_printf(to, " %d", row->status);
		}
		if (row->outcome != OUTCOME_COMPLETE) {
			buf_printf(to, " %s", outcome_name(row->outcome));
		}
	}
}

static void put_tokens(struct buf *to, const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct usage *u = &e->legs[i].row.usage;
		if (e->legs[i].row.role == ROLE_PRIMARY &&
		        (u->prompt_tokens >= 0 || u->completion_tokens >= 0)) {
			buf_printf(to, "%" PRId64 "+%" PRId64, MAX(u->prompt_tokens, (int64_t)0),
			        MAX(u->completion_tokens, (int64_t)0));
			return;
		}
	}
	buf_append_char(to, '-');
}

static void put_row(struct buf *to, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	struct buf cell = {0};
	char id[ID_TEXT_SIZE];
	put_column(to, span_of(id_format(row->id, id)), 36);
	verbs_put_time(&cell, e->absent ? id_time_ms(row->id) * 1000000 : row->wall_ns);
	put_column(to, buf_span(&cell), 24);
	put_column(to, span_of(e->absent ? "-" : endpoint_name(row->endpoint)), 10);
	put_column(to, span_of(row->model ? row->model : "-"), 24);
	put_column(to, span_of(row->streamed ? "yes" : "no"), 6);
	put_column(to, span_of(e->absent ? "absent" : outcome_name(row->outcome)), 11);
	buf_clear(&cell);
	put_tokens(&cell, e);
	put_column(to, buf_span(&cell), 11);
	put_legs(to, e);
	buf_finish(&cell);
}

static void put_heading(struct buf *to)
{
	static const struct {
		const char *name;
		size_t width;
	} columns[] = {{"ID", 36}, {"TIME", 24}, {"ENDPOINT", 10}, {"MODEL", 24}, {"STREAM", 6},
	        {"OUTCOME", 11}, {"TOKENS", 11}};
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		put_column(to, span_of(columns[i].name), columns[i].width);
	}
	buf_append_str(to, "LEGS\n");
}

static int list(char **dirs, int n_dirs, bool json, uint64_t limit)
{
	int code = EXIT_PASS;
	struct capture *c = verbs_open(dirs, n_dirs, &code);
	if (!c) {
		return code;
	}
	struct buf line = {0};
	struct capture_exchange e;
	uint64_t n = 0;
	while (n < limit && !ferror(stdout) && capture_next(c, &e) > 0) {
		if (n++ == 0 && !json) {
			put_heading(&line);
		}
		if (json) {
			exchange_json_put_row(&line, &e);
		} else {
			put_row(&line, &e);
		}
		buf_append_char(&line, '\n');
		fwrite(line.data, 1, line.len, stdout);
		buf_clear(&line);
		capture_exchange_finish(&e);
	}
	buf_finish(&line);
	code = verbs_flush(n || limit == 0 ? EXIT_PASS : verbs_empty(dirs, n_dirs));
	return verbs_close(c, code);
}

int command_capture_ls(int argc, char **argv)
{
	static const struct option options[] = {
	        {"json", no_argument, NULL, 'j'},
	        {"limit", required_argument, NULL, 'n'},
	        {"help", no_argument, NULL, 'h'},
	        {0},
	};
	bool json = false;
	uint64_t limit = UINT64_MAX;
	char *end;
	opterr = 0;
	optind = 1;
	for (int o; (o = getopt_long(argc, argv, "n:h", options, NULL)) != -1;) {
		switch (o) {
		case 'j':
			json = true;
			break;
		case 'n':
			limit = strtoull(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end) {
				return verbs_usage("ls", "--limit wants a number, not %s", optarg);
			}
			break;
		case 'h':
			usage();
			return EXIT_PASS;
		default:
			return verbs_usage(
			        "ls", "%s is no option, or its value is missing", argv[optind - 1]);
		}
	}
	if (optind == argc) {
		return verbs_usage("ls", "the capture's directory is missing");
	}
	return list(argv + optind, argc - optind, json, limit);
}
