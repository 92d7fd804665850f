#include "cli/capture/repro_neighbours.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/stats/proportion.h"
#include "base/plural.h"
#include "base/sanitize_text.h"
#include "base/shell.h"
#include "base/terminal.h"
#include "capture/record_json.h"
#include "cli/known_backend.h"
#include "cli/outfile.h"
#include "cli/replay/replay_backend_find.h"
#include "cli/verb.h"
#include "cli/written.h"

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

static void print_text(const struct neighbourhood *h, const struct target *t,
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

static void print_json(const struct neighbourhood *h, const struct target *t,
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

static int pack(const struct neighbourhood *h, const struct neighbours_finding *f)
{
	const char *path = h->o->pack;
	if (!path) {
		return EXIT_PASS;
	}
	struct buf lines = {0};
	neighbours_put_lines(h, f && f->shrunk ? f->needed : NULL, f ? f->n_needed : 0, &lines);
	int r = outfile_write(path, 0600, buf_span(&lines));
	buf_finish(&lines);
	if (r < 0) {
		return verb_fail("repro", EXIT_RUNTIME,
		        xasprintf("%s can't be written: %s", path, strerror(-r)));
	}
	written_print("repro", path, "quotes prompts");
	return EXIT_PASS;
}

/* Sends them, and prints what came of it. */
static int reproduce(struct neighbourhood *h, struct replay_backend *b)
{
	struct neighbours_finding f = {0};
	struct target *t = &b->target;
	t->timeout = h->o->timeout;
	int r = neighbours_try(h, t, &f);
	if (h->o->json) {
		print_json(h, t, &f, r < 0);
	} else {
		print_text(h, t, &f, r < 0);
	}
	int code = r < 0 ? EXIT_RUNTIME : f.together.hits > 0 ? EXIT_DIFFERENCE : EXIT_PASS;
	int packed = pack(h, &f);
	neighbours_finding_finish(&f);
	return verb_flush("repro", packed == EXIT_PASS ? code : packed);
}

static int send_to(struct neighbourhood *h)
{
	struct replay_backend b = {0};
	int code = replay_backend_find(&b, h->capture, &h->o->backend);
	if (code == EXIT_PASS) {
		code = replay_backend_identify(&b, &h->o->backend);
	}
	if (code == EXIT_PASS) {
		code = neighbours_load(h, &b.target);
	}
	if (code == EXIT_PASS) {
		code = neighbours_check_models(h, &b);
	}
	if (code == EXIT_PASS) {
		code = reproduce(h, &b);
	}
	replay_backend_finish(&b);
	return code;
}

/* Appends --model if the examined backend got another model than the requests name. */
static void put_model(struct buf *to, const struct neighbourhood *h)
{
	const char *name = h->examined.legs[h->examined_leg].row.backend, *model = NULL;
	struct known_backend b = {0};
	bool differs = false, one = true;
	free(known_backend_find(h->capture, NULL, name ? name : "", NULL, &b));
	for (size_t i = 0; i < h->n; i++) {
		const char *named = h->members[i].job->source.facts.model;
		const char *got = known_backend_model(&b, named);
		one &= got && (i == 0 || (model && strcmp(got, model) == 0));
		differs |= got && (!named || strcmp(got, named) != 0);
		model = got;
	}
	if (one && differs && shell_is_pastable(model)) {
		buf_append_str(to, " --model ");
		shell_put_word(to, model);
	}
	known_backend_finish(&b);
}

/* Prints how to send the written requests: to the URL of the examined one, with the answers
 * recorded next to the file. */
static void print_packed(const struct neighbourhood *h)
{
	const char *url = h->examined.legs[h->examined_leg].row.url, *pack = h->o->pack;
	printf("%zu %s written to %s.", h->n, plural(h->n, "request", "requests"), pack);
	if (shell_is_pastable(url)) {
		char *file = shell_path(pack), *beside = xasprintf("%s-replayed", pack);
		struct buf to = {0};
		shell_put_word(&to, url);
		put_model(&to, h);
		buf_append_str(&to, " --capture ");
		shell_put_path(&to, beside);
		printf(" To send them again with their timing: plumbline replay %s --timing "
		       "original --to %s",
		        file, buf_cstr(&to));
		buf_finish(&to);
		free(beside);
		free(file);
	}
	putchar('\n');
}

int repro_neighbours(
        struct capture *c, struct capture_exchange *examined, const struct neighbours_options *o)
{
	struct neighbourhood h;
	int code = neighbours_find(&h, c, examined, o);
	if (code == EXIT_PASS && o->backend.to) {
		code = send_to(&h);
	} else if (code == EXIT_PASS) {
		code = neighbours_load(&h, NULL);
		code = code == EXIT_PASS ? pack(&h, NULL) : code;
		if (code == EXIT_PASS) {
			print_packed(&h);
			code = verb_flush("repro", code);
		}
	}
	neighbours_finish(&h);
	return code;
}
