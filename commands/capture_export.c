#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/reasons.h"
#include "commands/capture_verbs.h"
#include "commands/commands.h"
#include "commands/exchange_json.h"
#include "commands/request_line.h"

static const char USAGE[] =
        "usage: plumbline capture export --jsonl|--batch DIR...\n"
        "\n"
        "Writes a capture to standard output, one exchange a line, oldest first: the request, and "
        "of each leg the\n"
        "answer as it came, its text, reasoning, tool calls, usage and token columns. Bytes that "
        "are not UTF-8 are\n"
        "written as {\"base64\": \"...\"}. docs/format.md tells every member.\n"
        "\n"
        "  --jsonl     all of it, as JSON lines\n"
        "  --batch     the requests alone, as OpenAI's batch input, with labels and times: what\n"
        "              plumbline replay reads\n"
        "\n"
        "examples:\n"
        "  plumbline capture export --jsonl capture > capture.jsonl\n"
        "  plumbline capture export --batch capture > requests.jsonl\n"
        "  plumbline capture export --jsonl capture | jq -r '.legs[] | [.backend, "
        ".reading.choices[0].text] | @tsv'\n"
        "  duckdb -c \"select model, count(*) from read_json('capture.jsonl') group by model\"\n"
        "\n"
        "Exit codes: 0 exported, 2 usage or not a capture, 3 a segment or row could not be read "
        "(the others are\n"
        "exported), 4 there is no exchange.\n";

static void put_exchange(struct buf *line, struct capture *c, const struct capture_exchange *e,
        bool batch, struct reasons *left_out)
{
	const char *why = NULL;
	if (batch) {
		why = request_line_put(line, c, e);
	} else {
		exchange_json_put(line, c, e);
		buf_append_char(line, '\n');
	}
	if (why) {
		reasons_add(left_out, why);
	}
}

static void tell_left_out(struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		fprintf(stderr, "plumbline capture export: %" PRIu64 " left out: %s\n",
		        r->items[i].n, r->items[i].why);
	}
	reasons_finish(r);
}

static int export(const char *const *dirs, size_t n_dirs, bool batch)
{
	int code = EXIT_PASS;
	struct capture *c = verbs_open(dirs, n_dirs, &code);
	if (!c) {
		return code;
	}
	struct verbs_progress progress = {.what = "exchanges exported"};
	struct buf line = {0};
	struct reasons left_out = {0};
	struct capture_exchange e;
	uint64_t n = 0;
	while (!ferror(stdout) && capture_next(c, &e) > 0) {
		put_exchange(&line, c, &e, batch, &left_out);
		fwrite(line.data, 1, line.len, stdout);
		buf_clear(&line);
		capture_exchange_finish(&e);
		verbs_progress(&progress, ++n);
	}
	verbs_progress_end(&progress);
	buf_finish(&line);
	tell_left_out(&left_out);
	code = verbs_flush(n ? EXIT_PASS : verbs_empty(c, dirs, n_dirs));
	return verbs_close(c, code);
}

int command_capture_export(int argc, char **argv)
{
	bool jsonl = false, batch = false;
	const struct option_slot slots[] = {
	        {"jsonl", .on = &jsonl},
	        {"batch", .on = &batch},
	        {0},
	};
	struct operands dirs;
	int code;
	if (!verbs_line("export", USAGE, argc, argv, slots, &dirs, &code)) {
		return code;
	}
	if (jsonl == batch) {
		return verbs_usage("export", jsonl ? "one form at a time: --jsonl or --batch"
		                                   : "the form is missing: --jsonl or --batch");
	}
	return export(dirs.words, dirs.n, batch);
}
