#include "cli/import_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/capture/capture_verbs.h"

#define NAME_SHOWN 120 /* characters of a name that a file gave */

static void print_reasons(const struct error_tally *r, const char *what)
{
	for (size_t i = 0; i < r->n; i++) {
		printf("  %" PRIu64 " %s: %s\n", r->items[i].n, what, r->items[i].why);
	}
}

void import_summary_text(const struct import_summary *s)
{
	const struct deposit_figures *f = &s->figures;
	printf("%" PRIu64 " answers to %" PRIu64 " new prompts are in %s", f->answers, f->exchanges,
	        s->capture);
	if (f->gold) {
		printf(", %" PRIu64 " of these with a right answer", f->gold);
	}
	puts(".");
	for (size_t i = 0; i < f->n_backends; i++) {
		const struct deposit_backend *b = &f->backends[i];
		struct buf name = {0};
		verbs_put_text(&name, span_of(b->name), NAME_SHOWN);
		printf("  %-9s %8" PRIu64 " answers  %s\n", role_name(b->role), b->answers,
		        buf_cstr(&name));
		buf_finish(&name);
	}
	if (f->known > f->repeated) {
		printf("  %" PRIu64 " answers were in the capture already\n",
		        f->known - f->repeated);
	}
	if (f->repeated) {
		printf("  %" PRIu64 " lines or elements repeat an answer of this import, for "
		       "example for further filters: each answer is imported once\n",
		        f->repeated);
	}
	print_reasons(&s->notes, "were imported in part");
	print_reasons(&s->unfit, "can't be imported");
	if (s->n_bad) {
		printf("  %" PRIu64
		       " lines or elements are damaged; what can't be read of them is left out\n",
		        s->n_bad);
	}
	print_reasons(&s->bad, "of them not shown above");
	if (f->lost) {
		printf("  %" PRIu64 " rows could not be written\n", f->lost);
	}
}

static void put_reasons(struct buf *to, const char *key, const struct error_tally *r)
{
	buf_printf(to, ",\"%s\":[", key);
	for (size_t i = 0; i < r->n; i++) {
		buf_printf(to, "%s{\"n\":%" PRIu64 ",\"why\":", i ? "," : "", r->items[i].n);
		json_put_string(to, span_of(r->items[i].why));
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

void import_summary_json(const struct import_summary *s)
{
	const struct deposit_figures *f = &s->figures;
	struct buf to = {0};
	buf_append_str(&to, "{\"capture\":");
	json_put_string(&to, span_of(s->capture));
	buf_printf(&to,
	        ",\"exchanges\":%" PRIu64 ",\"answers\":%" PRIu64 ",\"known\":%" PRIu64
	        ",\"repeated\":%" PRIu64 ",\"gold\":%" PRIu64 ",\"damaged\":%" PRIu64
	        ",\"lost\":%" PRIu64 ",\"stopped\":%s,\"backends\":[",
	        f->exchanges, f->answers, f->known, f->repeated, f->gold, s->n_bad, f->lost,
	        s->ended_early ? "true" : "false");
	for (size_t i = 0; i < f->n_backends; i++) {
		buf_append_str(&to, i ? ",{\"name\":" : "{\"name\":");
		json_put_string(&to, span_of(f->backends[i].name));
		buf_printf(&to, ",\"role\":\"%s\",\"answers\":%" PRIu64 "}",
		        role_name(f->backends[i].role), f->backends[i].answers);
	}
	buf_append_char(&to, ']');
	put_reasons(&to, "unfit", &s->unfit);
	put_reasons(&to, "notes", &s->notes);
	buf_append_char(&to, '}');
	puts(buf_cstr(&to));
	buf_finish(&to);
}

void import_summary_finish(struct import_summary *s)
{
	deposit_figures_finish(&s->figures);
	error_tally_finish(&s->bad);
	error_tally_finish(&s->unfit);
	error_tally_finish(&s->notes);
}
