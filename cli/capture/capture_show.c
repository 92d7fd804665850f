#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "cli/capture/exchange_find.h"
#include "capture/exchange_json.h"
#include "cli/capture/exchange_text.h"

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
		        : r == -ENOTSUP ? "its content coding cannot be decoded"
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

static int show(const char *id, const char *const *dirs, size_t n_dirs, bool raw, bool json)
{
	int code = EXIT_PASS;
	struct capture *c = input_open("capture", dirs, n_dirs, &code);
	if (!c) {
		return code;
	}
	struct capture_exchange e;
	char *problem = NULL;
	code = exchange_find(c, id, &e, &problem);
	if (code != EXIT_PASS) {
		return input_close("capture", c, verb_fail("capture", code, problem));
	}
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
	return input_close("capture", c, verb_flush("capture", code));
}

struct show {
	bool raw, json;
};

static const struct option_row OPTIONS[] = {
        EXCHANGE_FIND_OPERANDS,
        {"raw", 0, NULL,
                "also print heads and bodies of the request and the answers, byte for byte",
                OPT_BOOL(struct show, raw)},
        {"json", 0, NULL, "print the exchange as plumbline capture export --as jsonl does",
                OPT_BOOL(struct show, json)},
        OPT_END,
};

static const struct verb SHOW = {
        .name = "capture show",
        .usage = "DIR... ID [--raw | --json]",
        .about = "Shows one exchange: the request, each backend's answer, and where the answers "
                 "differ.",
        .options = OPTIONS,
        .examples = "plumbline capture show capture worst\n"
                    "plumbline capture show --json capture last | jq .legs[0].reading",
        .exit_codes = "0 shown, 2 command line, not a capture, or several exchanges have the id, "
                      "3 a segment or row could not be read, 4 there is no such exchange",
};

int command_capture_show(int argc, char **argv)
{
	struct show o = {0};
	struct operands words;
	int code;
	if (!verb_read_dirs(&SHOW, argc, argv, &o, &words, &code)) {
		return code;
	}
	if (o.raw && o.json) {
		return verb_usage(&SHOW, xstrdup("--raw and --json exclude each other: the "
		                                 "JSON holds the raw bytes"));
	}
	const char *id;
	char *problem = exchange_find_word(&words, &id);
	return problem ? verb_usage(&SHOW, problem) : show(id, words.words, words.n, o.raw, o.json);
}
