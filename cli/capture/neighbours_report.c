/*
 * neighbours_report - the result of sending an exchange again with its neighbours, as text and as
 * JSON.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/report/metric.h"
#include "analyzer/stats/proportion.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "base/sanitize_text.h"
#include "capture/record_json.h"
#include "cli/capture/neighbours.h"

#define ANSWER_CHARACTERS 300

static void put_rate(struct buf *to, const struct occurrence *o)
{
	struct interval i = proportion_rate(o->hits, o->n);
	const struct metric_value rate = {
	        .value = o->n ? (double)o->hits / (double)o->n : 0, .low = i.low, .high = i.high};
	buf_printf(
	        to, "%llu of %llu times, ", (unsigned long long)o->hits, (unsigned long long)o->n);
	metric_put_value(to, METRIC_SHARE, &rate);
}

/* Writes the verdict as one sentence. */
static void put_verdict(
        struct buf *to, const struct neighbourhood *h, const struct neighbours_finding *f)
{
	size_t n = h->n - 1;
	if (n == 0) {
		buf_append_str(to,
		        "It had no neighbours: no other request was in progress, or ended "
		        "in the time before it.");
	} else if (f->stays_sick) {
		buf_append_str(to, "Sent alone, the request no longer gets its first answer: "
		                   "further results would mean nothing.");
	} else if (f->together.n == 0) {
		buf_append_str(to, "Interrupted before the request was sent with its neighbours.");
	} else if (f->alone.hits > 0) {
		buf_append_str(to, "The answer is also wrong without neighbours: ");
		put_rate(to, &f->alone);
		buf_append_str(to, " alone, with them ");
		put_rate(to, &f->together);
		buf_append_str(to, f->shrunk ? ", which is more often than by chance." : ".");
	} else if (f->together.hits == 0) {
		buf_printf(to, "Not reproduced: the answer is wrong with its %zu neighbour%s ", n,
		        plural(n, "", "s"));
		put_rate(to, &f->together);
		buf_append_str(to, ", and never alone.");
	} else {
		buf_printf(to, "Reproduced: with its %zu neighbour%s ", n, plural(n, "", "s"));
		put_rate(to, &f->together);
		buf_append_str(to, ", alone ");
		put_rate(to, &f->alone);
		buf_append_char(to, '.');
	}
	buf_append_char(to, '\n');
}

static void put_member(struct buf *to, const struct neighbourhood *h, const struct member *m)
{
	char id[ID_SHORT_SIZE];
	const struct member *examined = &h->members[h->at];
	double gap = ((double)m->start - (double)examined->start) / 1e9;
	buf_printf(to, "  %s  began %.3f s %s it, %s%s\n", id_format_short(m->exchange, id),
	        gap < 0 ? -gap : gap, gap < 0 ? "before" : "after",
	        m->with                     ? "in progress with it"
	        : m->end <= examined->start ? "had ended before"
	                                    : "came before its answer ended",
	        m->left ? "; its client left" : "");
}

static void put_needed(
        struct buf *to, const struct neighbourhood *h, const struct neighbours_finding *f)
{
	buf_printf(to, "%zu of them %s%s", f->n_needed,
	        plural(f->n_needed, "is enough", "are enough"),
	        f->minimal ? "" : " (the limit of sets was reached before fewer were tried)");
	if (f->confirmed.n) {
		buf_append_str(to, ": with ");
		buf_append_str(to, plural(f->n_needed, "it ", "these "));
		put_rate(to, &f->confirmed);
	}
	buf_append_str(to, ".\n");
	for (size_t i = 0; i < f->n_needed; i++) {
		put_member(to, h, &h->members[f->needed[i]]);
	}
}

static void put_answer(struct buf *to, const char *what, const char *text)
{
	if (text) {
		buf_printf(to, "%s: ", what);
		sanitize_put(to, span_of(text), ANSWER_CHARACTERS);
		buf_append_char(to, '\n');
	}
}

void neighbours_print(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off)
{
	struct buf to = {0};
	put_verdict(&to, h, f);
	if (f->shrunk) {
		put_needed(&to, h, f);
	}
	put_answer(&to, "Alone", f->healthy);
	put_answer(&to, "With neighbours", f->wrong_answer);
	if (f->healthy) {
		buf_printf(&to, "The answer alone is %s. ",
		        f->was_recorded ? "the first recorded one"
		                        : "another one than the first recorded");
	}
	buf_printf(&to, "%" PRIu64 " %s sent to %s.%s\n", f->volleys,
	        plural(f->volleys, "set was", "sets were"), t->url,
	        broken_off ? " Interrupted." : "");
	for (size_t i = 0; i < h->unfit.n; i++) {
		buf_printf(&to, "%" PRIu64 " %s not sent: %s.\n", h->unfit.items[i].n,
		        plural(h->unfit.items[i].n, "neighbour was", "neighbours were"),
		        h->unfit.items[i].why);
	}
	if (h->too_many) {
		buf_printf(&to, "%" PRIu64 " more %s left out (--limit).\n", h->too_many,
		        plural(h->too_many, "neighbour was", "neighbours were"));
	}
	terminal_print(buf_cstr(&to), stdout);
	buf_finish(&to);
}

static void put_json_rate(struct json_writer *w, const char *name, const struct occurrence *o)
{
	struct interval i = proportion_rate(o->hits, o->n);
	json_writer_open(w, name, '{');
	json_writer_count(w, "n", o->n);
	json_writer_count(w, "hits", o->hits);
	json_writer_printf(w, "low", "%.4f", i.low);
	json_writer_printf(w, "high", "%.4f", i.high);
	json_writer_close(w, "}");
}

static void put_json_member(
        struct json_writer *w, const struct neighbourhood *h, const struct member *m)
{
	json_writer_open(w, NULL, '{');
	record_json_id(w, "exchange", m->exchange);
	json_writer_printf(
	        w, "began_ms", "%.3f", ((double)m->start - (double)h->members[h->at].start) / 1e6);
	json_writer_bool(w, "in_flight", m->with);
	json_writer_bool(w, "left", m->left);
	json_writer_close(w, "}");
}

void neighbours_print_json(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off)
{
	struct buf to = {0};
	struct json_writer w = {.to = &to};
	json_writer_open(&w, NULL, '{');
	record_json_id(&w, "exchange", h->examined.row.id);
	json_writer_text(&w, "url", t->url);
	json_writer_count(&w, "neighbours", h->n - 1);
	json_writer_count(&w, "seed", h->o->seed);
	json_writer_count(&w, "volleys", f->volleys);
	put_json_rate(&w, "alone", &f->alone);
	put_json_rate(&w, "together", &f->together);
	json_writer_bool(&w, "reproduced", f->together.hits > 0);
	json_writer_bool(&w, "broken_off", broken_off);
	json_writer_bool(&w, "stays_sick", f->stays_sick);
	record_json_text(&w, "answer_alone", f->healthy);
	record_json_text(&w, "answer_in_company", f->wrong_answer);
	json_writer_bool(&w, "recorded_is_alone", f->was_recorded);
	if (f->shrunk) {
		put_json_rate(&w, "confirmed", &f->confirmed);
		json_writer_bool(&w, "minimal", f->minimal);
		json_writer_open(&w, "needed", '[');
		for (size_t i = 0; i < f->n_needed; i++) {
			put_json_member(&w, h, &h->members[f->needed[i]]);
		}
		json_writer_close(&w, "]");
	}
	json_writer_close(&w, "}");
	buf_append_char(&to, '\n');
	fwrite(to.data, 1, to.len, stdout);
	buf_finish(&to);
}
