#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error_tally.h"
#include "base/sanitize_text.h"
#include "cli/capture/capture_commands.h"
#include "cli/capture/export_formats.h"
#include "cli/input.h"
#include "cli/progress_count.h"
#include "cli/verb.h"

#define NAME_SHOWN 60 /* characters of a backend's name */

static void put_line(struct buf *line)
{
	fwrite(buf_cstr(line), 1, line->len, stdout);
	buf_clear(line);
}

static uint64_t write_all(struct exporter *x, const struct export_format *f)
{
	struct progress_count progress = {.what = "exchanges exported"};
	struct buf line = {0};
	struct capture_exchange e;
	uint64_t n = 0;
	if (f->scan) { /* the format must read all exchanges before it writes */
		while (capture_next(x->capture, &e) > 0) {
			f->scan(x, &e);
			capture_exchange_finish(&e);
		}
		capture_rewind(x->capture);
	}
	buf_append_str(&line, f->begin ? f->begin : "");
	while (!ferror(stdout) && capture_next(x->capture, &e) > 0) {
		exporter_put(x, f, &e, &line);
		put_line(&line);
		capture_exchange_finish(&e);
		progress_count(&progress, ++n);
	}
	buf_append_str(&line, f->end ? f->end : "");
	put_line(&line);
	progress_count_end(&progress);
	buf_finish(&line);
	return n;
}

static bool has_backend_of(
        const struct capture_exchange *e, const char *name, struct error_tally *others)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const char *backend = e->legs[i].row.backend;
		if (backend && strcmp(backend, name) == 0) {
			return true;
		}
		error_tally_add(others, backend ? backend : "(none)");
	}
	return false;
}

/* Whether the capture has any answer of the requested backend. Checked before the first byte is
 * written. */
static bool is_there(struct capture *c, const char *name)
{
	struct error_tally others = {0};
	struct capture_exchange e;
	bool found = false, any = false;
	while (!found && capture_next(c, &e) > 0) {
		any = true;
		found = has_backend_of(&e, name, &others);
		capture_exchange_finish(&e);
	}
	capture_rewind(c);
	if (!found && any) {
		struct buf text = {0};
		for (size_t i = 0; i < others.n; i++) {
			buf_append_str(&text, i ? ", " : "");
			/* The last entry of a full tally counts all further names. */
			bool rest = i + 1 == ERROR_TALLY_LIMIT;
			sanitize_put(&text, rest ? SPAN("others") : span_of(others.items[i].why),
			        NAME_SHOWN);
		}
		fprintf(stderr,
		        "plumbline capture export: no answer is of a backend %s; the backends are: "
		        "%s\n",
		        name, buf_cstr(&text));
		buf_finish(&text);
	}
	error_tally_finish(&others);
	return found || !any; /* an empty capture is reported elsewhere */
}

static int export(
        const char *const *dirs, size_t n_dirs, const struct export_format *f, const char *backend)
{
	int code = EXIT_PASS;
	struct exporter x = {
	        .capture = input_open("capture", dirs, n_dirs, &code),
	        .backend = backend,
	};
	if (!x.capture) {
		return code;
	}
	if (backend && !is_there(x.capture, backend)) {
		return input_close("capture", x.capture, EXIT_USAGE);
	}
	uint64_t n = write_all(&x, f);
	error_tally_print(&x.left_out, "plumbline capture export: ", "left out", stderr);
	error_tally_print(&x.lost, "plumbline capture export: ", "not in the file", stderr);
	exporter_finish(&x);
	code = verb_flush("capture", x.written ? EXIT_PASS
	                             : n       ? EXIT_NOT_ENOUGH
	                                       : input_empty("capture", x.capture, dirs, n_dirs));
	return input_close("capture", x.capture, code);
}

static char *unknown_form(const char *name)
{
	struct buf text = {0};
	size_t n;
	const struct export_format *const *all = export_formats(&n);
	buf_printf(&text, "there is no form %.60s; the forms are:", name);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&text, "%s %s", i ? "," : "", all[i]->name);
	}
	return buf_steal(&text);
}

static void list_forms(FILE *to)
{
	size_t n;
	const struct export_format *const *all = export_formats(&n);
	fputs("\nforms:\n", to);
	for (size_t i = 0; i < n; i++) {
		options_help_line(to, all[i]->name, all[i]->title);
	}
}

struct options {
	bool jsonl, batch;
	const char *as, *backend;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"as", 0, "FORM", "one of the forms below", OPT_TEXT(struct options, as)},
        {"jsonl", 0, NULL, "the same as --as jsonl", OPT_BOOL(struct options, jsonl)},
        {"batch", 0, NULL, "the same as --as batch", OPT_BOOL(struct options, batch)},
        {"backend", 0, "NAME",
                "in forms with one answer for each request, write this backend's answers (the "
                "primary's, or the first)",
                OPT_TEXT(struct options, backend)},
        OPT_END,
};

static const struct verb EXPORT = {
        .name = "capture export",
        .usage = "DIR... --as FORM [--backend NAME]",
        .about = "Writes a capture to standard output in the format of another tool, oldest "
                 "exchange first. On standard error it counts exchanges and facts that the format "
                 "cannot express.",
        .options = OPTIONS,
        .list = list_forms,
        .notes = "In --as jsonl bytes that are not UTF-8 are {\"base64\": \"...\"}. "
                 "docs/export.md describes each form. plumbline replay reads requests from "
                 "all forms but jsonl and batch-output.",
        .examples = "plumbline capture export --as jsonl capture > capture.jsonl\n"
                    "plumbline capture export --as batch capture > requests.jsonl\n"
                    "plumbline capture export --as har capture > capture.har\n"
                    "plumbline capture export --as jsonl capture \\\n"
                    "    | jq -r '.legs[] | [.backend, .reading.choices[0].text] | @tsv'",
        .exit_codes =
                "0 exported, 2 command line, not a capture or no such backend, 3 a segment or row "
                "could not be read (the others are exported), 4 no exchange was written",
};

int command_capture_export(int argc, char **argv)
{
	struct options o = {0};
	struct operands dirs;
	int code;
	if (!verb_read_dirs(&EXPORT, argc, argv, &o, &dirs, &code)) {
		return code;
	}
	size_t forms = (size_t)o.jsonl + o.batch + (o.as != NULL);
	if (forms != 1) {
		return verb_usage(&EXPORT, xstrdup(forms ? "give only one form: --as FORM"
		                                         : "the form is missing: --as FORM"));
	}
	const char *name = o.jsonl ? "jsonl" : o.batch ? "batch" : o.as;
	const struct export_format *form = export_format_find(name);
	return form ? export(dirs.words, dirs.n, form, o.backend)
	            : verb_usage(&EXPORT, unknown_form(name));
}
