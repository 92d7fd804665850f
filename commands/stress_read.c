#include "commands/stress_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/clusters.h"
#include "analyzer/tokens/first.h"
#include "analyzer/tokens/listing.h"
#include "base/mem.h"
#include "capture/keyset.h"
#include "commands/stress_source.h"

/* An answer that was asked for with a canary. */
struct canaried {
	struct id exchange;
	size_t level;
	uint64_t start, end;
	char canary[CANARY_SIZE];
	char *text;
};

struct probe {
	char *item, *text; /* text NULL: it failed */
};

struct work {
	struct capture *capture;
	const struct stress_wish *wish;
	struct stress_finding *finding;
	struct strain_answer *answers;
	size_t n_answers, answers_room;
	uint32_t n_prompts; /* of which there are answers */
	uint64_t cluster;   /* of the one that is read */
	struct canaried *canaried;
	size_t n_canaried, canaried_room;
	struct probe *probes;
	size_t n_probes, probes_room;
};

static void *grow(void *list, size_t n, size_t *room, size_t size)
{
	if (n < *room) {
		return list;
	}
	*room = MAX(*room * 2, (size_t)64);
	return xrealloc(list, *room * size);
}

/* What we cut ourselves, or our client did not wait for, tells nothing of the engine; it is sent again. */
static bool was_given_up(const struct leg_row *row)
{
	return row->outcome == OUTCOME_STOPPED || row->outcome == OUTCOME_CLIENT_GONE;
}

static bool is_failed(const struct leg_row *row)
{
	return row->outcome != OUTCOME_COMPLETE || row->status >= 400 || row->status == 0;
}

/* What is said, thoughts and calls too; with how it ended. */
static char *text_of(const struct reading *r)
{
	struct buf text = {0};
	for (size_t i = 0; i < r->n_choices; i++) {
		const struct choice *c = &r->choices[i];
		choice_reasoning(c, &text);
		buf_append_span(&text, buf_span(&c->text));
		for (size_t k = 0; k < c->n_calls; k++) {
			buf_printf(&text, "\n%s(%s)", c->calls[k].name ? c->calls[k].name : "",
			        c->calls[k].arguments ? c->calls[k].arguments : "");
		}
	}
	return buf_steal(&text);
}

static struct reading *read_leg(struct work *w, const struct capture_exchange *e, size_t leg)
{
	struct reading *r = NULL;
	if (is_failed(&e->legs[leg].row) || capture_reading(w->capture, e, leg, &r) < 0) {
		return NULL;
	}
	if (r->error || r->n_choices == 0) {
		reading_destroy(r);
		return NULL;
	}
	return r;
}

/* n_levels: the leg is of no level. */
static size_t level_of(const struct work *w, const struct leg_row *row)
{
	size_t i = 0;
	bool ours = row->backend && strcmp(row->backend, w->wish->backend) == 0 &&
	            !(row->marks & LEG_SCORED) && !was_given_up(row);
	while (i < w->wish->n_levels && !(ours && id_compare(row->run, w->wish->runs[i]) == 0)) {
		i++;
	}
	return i;
}

/* The earliest leg of the lowest level that was answered. */
static struct reading *read_standard(
        struct work *w, const struct capture_exchange *e, size_t *ret_leg)
{
	size_t best = SIZE_MAX, level = w->wish->n_levels;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		size_t of = level_of(w, row);
		bool first = best == SIZE_MAX || row->repeat < e->legs[best].row.repeat;
		if (of < w->wish->n_levels && !is_failed(row) &&
		        (of < level || (of == level && first))) {
			best = i;
			level = of;
		}
	}
	*ret_leg = best;
	return best != SIZE_MAX && level == 0 ? read_leg(w, e, best) : NULL;
}

/*
 * How far the distance of two logits moved between the answers, where they part. What is not among a side's
 * alternatives is at least as far as the last of them: less is known then, and less is asked for.
 */
static bool is_jump(const struct listing_walk *w, const struct first *f)
{
	bool enough = w->base.to - w->base.from >= STRAIN_LISTED &&
	              w->test.to - w->test.from >= STRAIN_LISTED;
	bool unlisted = enough && (f->p_censored || f->r_censored);
	return f->shift >= (unlisted ? STRAIN_JUMP_UNLISTED : STRAIN_JUMP);
}

static bool jumps(const struct choice *a, const struct choice *b)
{
	struct listing_walk walk;
	struct first first;
	bool jump = false;
	if (!a->has_columns || !b->has_columns) {
		return false;
	}
	listing_walk_begin(&walk, &a->columns, &b->columns);
	while (listing_walk_next(&walk)) {
		if (!walk.at.equal) {
			first_find(&walk.base, &walk.test, &first);
			jump = is_jump(&walk, &first);
			break;
		}
	}
	listing_walk_end(&walk);
	return jump;
}

static unsigned marks_of(const char *said, const char *standard, const struct reading *r,
        const struct reading *of_standard, unsigned scripts)
{
	unsigned marks = 0;
	size_t n = strlen(said), n_standard = strlen(standard);
	if (strcmp(said, standard) == 0) {
		return 0;
	}
	marks |= STRAIN_DIFFERS;
	marks |= jumps(&of_standard->choices[0], &r->choices[0]) ? STRAIN_JUMPS : 0;
	marks |= n == 0 && n_standard > 0 ? STRAIN_EMPTY : 0;
	marks |= strain_loops(said, n) && !strain_loops(standard, n_standard) ? STRAIN_LOOPS : 0;
	marks |= strain_scripts(said, n) & ~scripts ? STRAIN_FOREIGN : 0;
	return marks;
}

static void add_answer(struct work *w, const struct leg_row *row, size_t level, unsigned marks)
{
	w->answers = grow(w->answers, w->n_answers, &w->answers_room, sizeof(*w->answers));
	w->answers[w->n_answers++] = (struct strain_answer){
	        .start_ns = row->start_ns,
	        .level = (uint32_t)level,
	        .prompt = w->n_prompts,
	        .cluster = w->cluster,
	        .marks = marks,
	};
}

/* A request of the suite: its legs against its first one alone. */
static void read_suite(struct work *w, const struct capture_exchange *e)
{
	size_t first;
	struct reading *standard = read_standard(w, e, &first);
	memcpy(&w->cluster, clusters_key_of(&e->row), sizeof(w->cluster));
	char *text = standard ? text_of(standard) : NULL;
	struct buf body = {0};
	(void)!capture_request_body(w->capture, e, &body);
	unsigned scripts =
	        text ? strain_scripts(text, strlen(text)) | strain_scripts(body.data, body.len) : 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		size_t level = level_of(w, row);
		if (level == w->wish->n_levels || (standard && i == first)) {
			continue;
		}
		struct reading *r = read_leg(w, e, i);
		if (!r) {
			add_answer(w, row, level, STRAIN_FAILED);
		} else if (standard && text) {
			char *said = text_of(r);
			add_answer(w, row, level, marks_of(said, text, r, standard, scripts));
			free(said);
		}
		reading_destroy(r);
	}
	w->n_prompts++;
	reading_destroy(standard);
	free(text);
	buf_finish(&body);
}

static void read_canaries(struct work *w, const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		size_t level = level_of(w, row);
		struct reading *r = level < w->wish->n_levels ? read_leg(w, e, i) : NULL;
		if (!r) {
			continue;
		}
		w->canaried =
		        grow(w->canaried, w->n_canaried, &w->canaried_room, sizeof(*w->canaried));
		struct canaried *c = &w->canaried[w->n_canaried++];
		*c = (struct canaried){
		        .exchange = e->row.id,
		        .level = level,
		        .start = row->start_ns,
		        .end = row->start_ns + (row->end_us == UINT64_MAX ? 0 : row->end_us * 1000),
		        .text = text_of(r),
		};
		snprintf(c->canary, sizeof(c->canary), "%s", e->row.labels.item);
		reading_destroy(r);
	}
}

static void read_probes(struct work *w, const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (id_compare(row->run, w->wish->probes) != 0 || was_given_up(row)) {
			continue;
		}
		struct reading *r = read_leg(w, e, i);
		w->probes = grow(w->probes, w->n_probes, &w->probes_room, sizeof(*w->probes));
		w->probes[w->n_probes++] = (struct probe){
		        .item = xstrdup(e->row.labels.item ? e->row.labels.item : ""),
		        .text = r ? text_of(r) : NULL,
		};
		reading_destroy(r);
	}
}

static bool were_together(
        const struct work *w, const struct canaried *a, const char *canary, struct id *ret_whose)
{
	bool together = false;
	for (size_t i = 0; i < w->n_canaried; i++) {
		const struct canaried *b = &w->canaried[i];
		if (strcmp(b->canary, canary) == 0) {
			*ret_whose = b->exchange;
			together |=
			        b->level == a->level && b->start <= a->end && a->start <= b->end;
		}
	}
	return together;
}

static void note_leak(struct work *w, const struct canaried *heard, const char *canary)
{
	struct stress_finding *f = w->finding;
	struct stress_leak leak = {
	        .heard = heard->exchange,
	        .concurrency = w->wish->levels[heard->level],
	};
	leak.together = were_together(w, heard, canary, &leak.whose);
	f->leaks_together += leak.together;
	if (f->leaks < STRESS_LEAKS) {
		f->first[f->leaks] = leak;
	}
	f->leaks++;
}

#define CANARY 1 /* kind of key */
#define LENGTH (CANARY_SIZE - 1)

/* The first word of another one that the answer holds. False: none. */
static bool hears(const struct canaried *c, const struct keyset *canaries, char ret[CANARY_SIZE])
{
	size_t n = strlen(c->text);
	for (size_t i = 0; i + LENGTH <= n; i++) {
		const char *word = c->text + i;
		if (keyset_has(canaries, CANARY, (struct span){word, LENGTH}) &&
		        memcmp(word, c->canary, LENGTH) != 0) {
			memcpy(ret, word, LENGTH);
			ret[LENGTH] = '\0';
			return true;
		}
	}
	return false;
}

static void look_for_leaks(struct work *w)
{
	struct keyset canaries = {0};
	char heard[CANARY_SIZE];
	for (size_t i = 0; i < w->n_canaried; i++) {
		(void)keyset_add(&canaries, CANARY, (struct span){w->canaried[i].canary, LENGTH});
	}
	w->finding->canaried = w->n_canaried;
	for (size_t i = 0; i < w->n_canaried; i++) {
		if (hears(&w->canaried[i], &canaries, heard)) {
			note_leak(w, &w->canaried[i], heard);
		}
	}
	keyset_finish(&canaries);
}

static bool is_failing(const struct probe *p)
{
	return strncmp(p->item, STRESS_FAILING, strlen(STRESS_FAILING)) == 0;
}

/* What a probe was answered most often before the first failing request; NULL: never. */
static const char *healthy(const struct work *w, const char *item)
{
	const char *best = NULL;
	size_t most = 0;
	for (size_t i = 0; i < w->n_probes && !is_failing(&w->probes[i]); i++) {
		const struct probe *p = &w->probes[i];
		size_t same = 0;
		for (size_t k = 0; k < w->n_probes && !is_failing(&w->probes[k]); k++) {
			const struct probe *q = &w->probes[k];
			same += q->text && p->text && strcmp(p->item, q->item) == 0 &&
			        strcmp(p->text, q->text) == 0;
		}
		if (p->text && strcmp(p->item, item) == 0 && same > most) {
			most = same;
			best = p->text;
		}
	}
	return best;
}

/* Of the windows behind failures (one probe, two, ...) the one that tells most; p is for having looked at them all. */
static void judge_poison(struct stress_finding *f)
{
	uint64_t hits = 0, n = 0;
	f->poison = (struct strain_test){.n = f->after, .p = NAN};
	for (size_t i = 0; i < STRESS_NEAR; i++) {
		hits += f->near_differing[i];
		n += f->near[i];
		struct strain_test t =
		        strain_poison(hits, n, f->before_differing, f->before, STRESS_NEAR);
		if (!isnan(t.p) && !(t.p >= f->poison.p)) {
			f->poison = t;
		}
	}
}

static void look_for_poison(struct work *w)
{
	struct stress_finding *f = w->finding;
	bool begun = false, failed = false;
	uint32_t since = 0;
	for (size_t i = 0; i < w->n_probes; i++) {
		const struct probe *p = &w->probes[i];
		if (is_failing(p)) {
			begun = true;
			failed = p->text == NULL;
			since = 0;
			f->failing++;
			f->failed += failed;
			continue;
		}
		const char *standard = healthy(w, p->item);
		if (!standard) {
			continue;
		}
		bool differs = !p->text || strcmp(p->text, standard) != 0;
		since++;
		if (!begun) {
			f->before++;
			f->before_differing += differs;
		} else if (failed) {
			f->after++;
			f->after_differing += differs;
			f->longest = differs ? MAX(f->longest, since) : f->longest;
			f->near[MIN(since, STRESS_NEAR) - 1]++;
			f->near_differing[MIN(since, STRESS_NEAR) - 1] += differs;
		}
	}
	judge_poison(f);
}

static void finish(struct work *w)
{
	for (size_t i = 0; i < w->n_canaried; i++) {
		free(w->canaried[i].text);
	}
	for (size_t i = 0; i < w->n_probes; i++) {
		free(w->probes[i].item);
		free(w->probes[i].text);
	}
	free(w->answers);
	free(w->canaried);
	free(w->probes);
}

void stress_read(struct capture *c, const struct stress_wish *wish, struct stress_finding *ret)
{
	struct work w = {.capture = c, .wish = wish, .finding = ret};
	struct capture_exchange e;
	*ret = (struct stress_finding){0};
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		const char *suite = e.row.labels.suite ? e.row.labels.suite : "";
		if (strcmp(suite, STRESS_CANARIES) == 0 && e.row.labels.item) {
			read_canaries(&w, &e);
		} else if (strcmp(suite, STRESS_PROBES) == 0) {
			read_probes(&w, &e);
		} else {
			read_suite(&w, &e);
		}
		capture_exchange_finish(&e);
	}
	strain_judge(wish->levels, wish->n_levels, w.answers, w.n_answers, &ret->strain);
	look_for_leaks(&w);
	look_for_poison(&w);
	finish(&w);
}

bool stress_found(const struct stress_finding *f)
{
	const struct strain *s = &f->strain;
	return f->leaks > 0 || f->poison.found || s->jumps.found || s->drift.found ||
	       s->change.found || s->failed.found || s->loops.found || s->empty.found ||
	       s->foreign.found;
}

bool stress_has_data(const struct stress_finding *f)
{
	uint64_t n = 0;
	for (size_t i = 1; i < f->strain.n_levels; i++) {
		n += f->strain.levels[i].answers;
	}
	return n > 0 && f->strain.alone > 0;
}
