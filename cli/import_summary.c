#include "cli/import_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "base/plural.h"
#include "base/sanitize_text.h"

#define NAME_SHOWN 120 /* characters of a name that a file gave */

void import_summary_text(const struct import_summary *s)
{
	const struct import_store_figures *f = &s->figures;
	if (f->answers + f->known == 0) {
		puts("No answer was imported.");
	} else {
		printf("%" PRIu64 " %s to %" PRIu64 " new %s %s in %s", f->answers,
		        plural(f->answers, "answer", "answers"), f->exchanges,
		        plural(f->exchanges, "prompt", "prompts"), plural(f->answers, "is", "are"),
		        s->capture);
		if (f->gold) {
			printf(", %" PRIu64 " of these with a right answer", f->gold);
		}
		puts(".");
	}
	for (size_t i = 0; i < f->n_backends; i++) {
		const struct import_store_backend *b = &f->backends[i];
		struct buf name = {0};
		sanitize_put(&name, span_of(b->name), NAME_SHOWN);
		printf("  %-9s %8" PRIu64 " %-7s  %s\n", role_name(b->role), b->answers,
		        plural(b->answers, "answer", "answers"), buf_cstr(&name));
		buf_finish(&name);
	}
	if (f->known > f->repeated) {
		uint64_t known = f->known - f->repeated;
		printf("  %" PRIu64 " %s in the capture already\n", known,
		        plural(known, "answer was", "answers were"));
	}
	if (f->repeated) {
		printf("  %" PRIu64 " %s an answer, for example for another filter; each answer is "
		       "imported once\n",
		        f->repeated,
		        plural(f->repeated, "line or element repeats", "lines or elements repeat"));
	}
	error_tally_print(&s->notes, "  ", "imported in part", stdout);
	error_tally_print(&s->unfit, "  ", "can't be imported", stdout);
	if (s->n_bad) {
		printf("  %" PRIu64 " %s damaged; unreadable parts are left out\n", s->n_bad,
		        plural(s->n_bad, "line or element is", "lines or elements are"));
	}
	error_tally_print(&s->bad, "  ", "of them not shown above", stdout);
	if (f->lost) {
		printf("  %" PRIu64 " %s could not be written\n", f->lost,
		        plural(f->lost, "row", "rows"));
	}
}

void import_summary_json(const struct import_summary *s)
{
	const struct import_store_figures *f = &s->figures;
	struct buf text = {0};
	struct json_writer w = {.to = &text};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "capture", s->capture);
	json_writer_count(&w, "exchanges", f->exchanges);
	json_writer_count(&w, "answers", f->answers);
	json_writer_count(&w, "known", f->known);
	json_writer_count(&w, "repeated", f->repeated);
	json_writer_count(&w, "gold", f->gold);
	json_writer_count(&w, "damaged", s->n_bad);
	json_writer_count(&w, "lost", f->lost);
	json_writer_bool(&w, "stopped", s->ended_early);
	json_writer_open(&w, "backends", '[');
	for (size_t i = 0; i < f->n_backends; i++) {
		const struct import_store_backend *b = &f->backends[i];
		json_writer_open(&w, NULL, '{');
		json_writer_text(&w, "name", b->name);
		json_writer_text(&w, "role", role_name(b->role));
		json_writer_count(&w, "answers", b->answers);
		json_writer_close(&w, "}");
	}
	json_writer_close(&w, "]");
	error_tally_json(&s->unfit, "unfit", &w);
	error_tally_json(&s->notes, "notes", &w);
	json_writer_close(&w, "}");
	puts(buf_cstr(&text));
	buf_finish(&text);
}

void import_summary_finish(struct import_summary *s)
{
	import_store_figures_finish(&s->figures);
	error_tally_finish(&s->bad);
	error_tally_finish(&s->unfit);
	error_tally_finish(&s->notes);
}
