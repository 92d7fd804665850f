#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "commands/capture_verbs.h"
#include "commands/commands.h"
#include "commands/exchange_find.h"
#include "commands/exchange_json.h"
#include "commands/exchange_text.h"

static const char USAGE[] =
        "usage: plumbline capture show [--raw | --json] DIR... ID\n"
        "\n"
        "Shows all that is known of one exchange: the request, each backend's answer, and where "
        "the answers part.\n"
        "\n" EXCHANGE_FIND_HELP "\n"
        "  --raw       also the request's head and body, and each answer's, byte for byte\n"
        "  --json      the exchange as `capture export` writes it\n"
        "\n"
        "examples:\n"
        "  plumbline capture show capture worst\n"
        "  plumbline capture show --json capture last | jq .legs[0].reading\n"
        "\n"
        "Exit codes: 0 shown, 2 usage, not a capture, or an id that several exchanges have, 3 a "
        "segment or row\n"
        "could not be read, 4 there is no such exchange.\n";

static void put_raw(struct buf *to, const char *whose, const char *what, int r, struct buf *part)
{
	if (r == 0) {
		buf_printf(to, "\n--- %s of %s, %zu bytes\n", what, whose, part->len);
		buf_append_span(to, buf_span(part));
		if (part->len && part->data[part->len - 1] != '\n') {
			buf_append_char(to, '\n');
		}
	} else {
		buf_printf(to, "\n--- %s of %s: %s\n", what, whose,
		        r == -ENOENT    ? "not stored"
		        : r == -ENOTSUP ? "its content coding cannot be undone"
		                        : "damaged");
	}
	buf_clear(part);
}

static void put_all_raw(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	struct buf part = {0};
	int r = capture_request_head(c, e, &part);
	put_raw(to, "the request", "head", r, &part);
	r = capture_request_body(c, e, &part);
	put_raw(to, "the request", "body", r, &part);
	for (size_t i = 0; i < e->n_legs; i++) {
		const char *backend = e->legs[i].row.backend ? e->legs[i].row.backend : "?";
		if (e->legs[i].row.n_edits) {
			r = capture_sent_body(c, e, i, &part);
			put_raw(to, backend, "request body as sent", r, &part);
		}
		r = capture_response_head(c, e, i, &part);
		put_raw(to, backend, "answer's head", r, &part);
		r = capture_response_body(c, e, i, &part);
		put_raw(to, backend, "answer's body", r, &part);
	}
	buf_finish(&part);
}

/* False: *ret_code is the exit code of what was said. */
static bool find(struct capture *c, const char *text, struct capture_exchange *ret, int *ret_code)
{
	char *problem = NULL;
	int code = exchange_find(c, text, ret, &problem);
	if (code != EXIT_PASS) {
		fprintf(stderr, "plumbline capture: %s\n", problem);
		*ret_code = code;
	}
	free(problem);
	return code == EXIT_PASS;
}

static int show(const char *id, const char *const *dirs, size_t n_dirs, bool raw, bool json)
{
	int code = EXIT_PASS;
	struct capture *c = verbs_open(dirs, n_dirs, &code);
	if (!c) {
		return code;
	}
	struct capture_exchange e;
	if (find(c, id, &e, &code)) {
		struct buf text = {0};
		if (json) {
			exchange_json_put(&text, c, &e);
			buf_append_char(&text, '\n');
		} else {
			exchange_text_put(&text, c, &e);
			if (raw) {
				put_all_raw(&text, c, &e);
			}
		}
		fwrite(text.data, 1, text.len, stdout);
		buf_finish(&text);
		capture_exchange_finish(&e);
		code = verbs_flush(code);
	}
	return verbs_close(c, code);
}

int command_capture_show(int argc, char **argv)
{
	bool raw = false, json = false;
	const struct option_slot slots[] = {
	        {"raw", .on = &raw},
	        {"json", .on = &json},
	        {0},
	};
	struct operands words;
	int code;
	if (!verbs_line("show", USAGE, argc, argv, slots, &words, &code)) {
		return code;
	}
	if (raw && json) {
		return verbs_usage("show",
		        "--raw and --json exclude each other: the JSON holds the raw bytes");
	}
	const char *id;
	char *problem = exchange_find_word(&words, &id);
	if (problem) {
		code = verbs_usage("show", "%s", problem);
		free(problem);
		return code;
	}
	return show(id, words.words, words.n, raw, json);
}
