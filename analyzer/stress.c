#include "analyzer/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/clusters.h"
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/compare/tokens/listing.h"
#include "base/grow.h"
#include "capture/keyset.h"
#include "capture/leg_flaw.h"

/* The answer to a request with a canary. */
struct canary_answer {
	struct id exchange;
	size_t level;
	uint64_t start, end;
	char canary[CANARY_SIZE];
	char *text;
};

#define TO_FAIL SIZE_MAX

struct probe {
	size_t number; /* the number of the request; or TO_FAIL */
	char *text;    /* NULL: it failed */
};

struct work {
	struct capture *capture;
	const struct stress_input *input;
	struct stress_finding *finding;
	struct concurrency_answer *answers;
	size_t n_answers, answers_room;
	uint32_t n_prompts; /* prompts that have answers */
	uint64_t cluster;   /* of the exchange that is being read */
	struct canary_answer *canary_answers;
	size_t n_canary_answers, canary_answers_room;
	struct probe *probes;
	size_t n_probes, probes_room;
};

/* A leg that plumbline cancelled, or whose client left, shows nothing about the engine. Its request
 * is sent again. */
static bool was_given_up(const struct leg_row *row)
{
	return row->outcome == OUTCOME_STOPPED || row->outcome == OUTCOME_CLIENT_GONE;
}

/* The whole answer as text, with reasoning, tool calls and finish reason. */
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
	struct reading *r = leg_whole_reading(w->capture, e, leg);
	if (r && r->unknown) {
		reading_destroy(r);
		return NULL;
	}
	return r;
}

/* The level of a leg; n_levels: it belongs to none. */
static size_t level_of(const struct work *w, const struct leg_row *row)
{
	size_t i = 0;
	bool is_of_target = row->backend && strcmp(row->backend, w->input->backend) == 0 &&
	                    !(row->marks & LEG_SCORED) && !was_given_up(row);
	while (i < w->input->n_levels &&
	        !(is_of_target && id_compare(row->run, w->input->runs[i]) == 0)) {
		i++;
	}
	return i;
}

/* The standard: the earliest answered leg of the lowest level. */
static struct reading *read_standard(
        struct work *w, const struct capture_exchange *e, size_t *ret_leg)
{
	size_t best = SIZE_MAX, level = w->input->n_levels;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		size_t of = level_of(w, row);
		bool first = best == SIZE_MAX || row->repeat < e->legs[best].row.repeat;
		if (of < w->input->n_levels && leg_flaw(row, NULL) == FLAW_NONE &&
		        (of < level || (of == level && first))) {
			best = i;
			level = of;
		}
	}
	*ret_leg = best;
	return best != SIZE_MAX && level == 0 ? read_leg(w, e, best) : NULL;
}

/*
 * Whether the distance between two logits moved far between the two answers, at their first
 * difference. A token that is not among a side's alternatives is at least as far away as the last
 * of them. Only a bound is known then, so a smaller shift is enough.
 */
static bool is_jump(const struct listing_walk *w, const struct first *f)
{
	bool enough = w->base.to - w->base.from >= CONCURRENCY_LISTED &&
	              w->test.to - w->test.from >= CONCURRENCY_LISTED;
	bool unlisted = enough && (f->test_censored || f->base_censored);
	return f->shift >= (unlisted ? CONCURRENCY_JUMP_UNLISTED : CONCURRENCY_JUMP);
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
	return jump;
}

static unsigned marks_of(const char *answer, const char *standard, const struct reading *r,
        const struct reading *of_standard, unsigned scripts)
{
	unsigned marks = 0;
	size_t n = strlen(answer), n_standard = strlen(standard);
	if (strcmp(answer, standard) == 0) {
		return 0;
	}
	marks |= CONCURRENCY_DIFFERS;
	marks |= jumps(&of_standard->choices[0], &r->choices[0]) ? CONCURRENCY_JUMPS : 0;
	marks |= n == 0 && n_standard > 0 ? CONCURRENCY_EMPTY : 0;
	marks |= concurrency_loops(answer, n) && !concurrency_loops(standard, n_standard)
	                 ? CONCURRENCY_LOOPS
	                 : 0;
	marks |= concurrency_scripts(answer, n) & ~scripts ? CONCURRENCY_FOREIGN : 0;
	return marks;
}

static void add_answer(struct work *w, const struct leg_row *row, size_t level, unsigned marks)
{
	w->answers = grow(w->answers, w->n_answers, &w->answers_room, sizeof(*w->answers));
	w->answers[w->n_answers++] = (struct concurrency_answer){
	        .start_ns = row->start_ns,
	        .level = (uint32_t)level,
	        .prompt = w->n_prompts,
	        .cluster = w->cluster,
	        .marks = marks,
	};
}

/* Reads a request of the suite: compares its legs with its first answer at the lowest level. */
static void read_suite(struct work *w, const struct capture_exchange *e)
{
	size_t first;
	struct reading *standard = read_standard(w, e, &first);
	memcpy(&w->cluster, clusters_key_of(&e->row), sizeof(w->cluster));
	char *text = standard ? text_of(standard) : NULL;
	struct buf body = {0};
	(void)!capture_request_body(w->capture, e, &body);
	unsigned scripts = text ? concurrency_scripts(text, strlen(text)) |
	                                   concurrency_scripts(buf_span(&body).data, body.len)
	                        : 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		size_t level = level_of(w, row);
		if (level == w->input->n_levels || (standard && i == first)) {
			continue;
		}
		struct reading *r = read_leg(w, e, i);
		if (!r) {
			add_answer(w, row, level, CONCURRENCY_FAILED);
		} else if (standard && text) {
			char *answer = text_of(r);
			add_answer(w, row, level, marks_of(answer, text, r, standard, scripts));
			free(answer);
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
		struct reading *r = level < w->input->n_levels ? read_leg(w, e, i) : NULL;
		if (!r) {
			continue;
		}
		w->canary_answers = grow(w->canary_answers, w->n_canary_answers,
		        &w->canary_answers_room, sizeof(*w->canary_answers));
		struct canary_answer *c = &w->canary_answers[w->n_canary_answers++];
		*c = (struct canary_answer){
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

/* Reads the number of an item. False: the item is no probe. */
static bool read_number(const char *item, size_t *ret)
{
	if (item && strncmp(item, STRESS_FAILING, strlen(STRESS_FAILING)) == 0) {
		*ret = TO_FAIL;
		return true;
	}
	const char *digit = item && strncmp(item, STRESS_PROBE, strlen(STRESS_PROBE)) == 0
	                            ? item + strlen(STRESS_PROBE)
	                            : "";
	*ret = (size_t)(*digit - '0');
	return *ret < STRESS_NEAR && digit[1] == '\0';
}

static void read_probes(struct work *w, const struct capture_exchange *e)
{
	size_t number;
	for (size_t i = 0; i < e->n_legs && read_number(e->row.labels.item, &number); i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (id_compare(row->run, w->input->probes) != 0 || was_given_up(row)) {
			continue;
		}
		struct reading *r = read_leg(w, e, i);
		w->probes = grow(w->probes, w->n_probes, &w->probes_room, sizeof(*w->probes));
		w->probes[w->n_probes++] = (struct probe){
		        .number = number,
		        .text = r ? text_of(r) : NULL,
		};
		reading_destroy(r);
	}
}

static bool were_together(const struct work *w, const struct canary_answer *a, const char *canary,
        struct id *ret_whose)
{
	bool together = false;
	for (size_t i = 0; i < w->n_canary_answers; i++) {
		const struct canary_answer *b = &w->canary_answers[i];
		if (strcmp(b->canary, canary) == 0) {
			*ret_whose = b->exchange;
			together |=
			        b->level == a->level && b->start <= a->end && a->start <= b->end;
		}
	}
	return together;
}

static void add_leak(struct work *w, const struct canary_answer *with_leak, const char *canary)
{
	struct stress_finding *f = w->finding;
	struct stress_leak leak = {
	        .in_answer = with_leak->exchange,
	        .concurrency = w->input->levels[with_leak->level],
	};
	leak.together = were_together(w, with_leak, canary, &leak.whose);
	f->leaks_together += leak.together;
	if (f->leaks < STRESS_LEAKS) {
		f->first[f->leaks] = leak;
	}
	f->leaks++;
}

#define CANARY 1 /* kind of key */
#define LENGTH (CANARY_SIZE - 1)

/* Finds the first word of another request's canary in the answer. False: there is none. */
static bool find_canary(
        const struct canary_answer *c, const struct keyset *canaries, char ret[CANARY_SIZE])
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

static void find_leaks(struct work *w)
{
	struct keyset canaries = {0};
	char found[CANARY_SIZE];
	for (size_t i = 0; i < w->n_canary_answers; i++) {
		(void)keyset_add(
		        &canaries, CANARY, (struct span){w->canary_answers[i].canary, LENGTH});
	}
	w->finding->searched = w->n_canary_answers;
	for (size_t i = 0; i < w->n_canary_answers; i++) {
		if (find_canary(&w->canary_answers[i], &canaries, found)) {
			add_leak(w, &w->canary_answers[i], found);
		}
	}
	keyset_finish(&canaries);
}

/* Finds the first answer to each probe before any failure; SIZE_MAX: there is none. */
static void find_standards(const struct work *w, size_t ret[STRESS_NEAR])
{
	for (size_t i = 0; i < STRESS_NEAR; i++) {
		ret[i] = SIZE_MAX;
	}
	for (size_t i = 0; i < w->n_probes && w->probes[i].number != TO_FAIL; i++) {
		size_t *first = &ret[w->probes[i].number];
		*first = *first == SIZE_MAX && w->probes[i].text ? i : *first;
	}
}

/* Examines windows of one probe, two probes and so on behind failures, and picks the most
 * significant. Its p is corrected for having examined all of them. at[i]: each probe's answers at
 * distance i behind a failure; at[0] also has those before any failure. */
static struct concurrency_test judge_poison(struct concurrency_probe at[STRESS_NEAR][STRESS_NEAR])
{
	struct concurrency_probe *probes = at[0];
	struct concurrency_test best = {.p = NAN};
	for (size_t i = 0; i < STRESS_NEAR; i++) {
		for (size_t k = 0; i > 0 && k < STRESS_NEAR; k++) {
			probes[k].hits += at[i][k].hits;
			probes[k].n += at[i][k].n;
		}
		struct concurrency_test t = concurrency_poison(probes, STRESS_NEAR, STRESS_NEAR);
		if (isnan(best.p) || t.p < best.p) {
			best = t;
		}
	}
	return best;
}

static void find_poison(struct work *w)
{
	struct stress_finding *f = w->finding;
	struct concurrency_probe at[STRESS_NEAR][STRESS_NEAR] = {0};
	size_t standards[STRESS_NEAR];
	bool begun = false, failed = false;
	uint32_t since = 0;
	find_standards(w, standards);
	for (size_t i = 0; i < w->n_probes; i++) {
		const struct probe *p = &w->probes[i];
		if (p->number == TO_FAIL) {
			begun = true;
			failed = p->text == NULL;
			since = 0;
			f->failing++;
			f->failed += failed;
			continue;
		}
		size_t standard = standards[p->number];
		if (standard == SIZE_MAX || standard == i) {
			continue;
		}
		bool differs = !p->text || strcmp(p->text, w->probes[standard].text) != 0;
		since++;
		if (!begun) {
			f->before++;
			f->before_differing += differs;
			at[0][p->number].n_before++;
			at[0][p->number].hits_before += differs;
		} else if (failed) {
			f->after++;
			f->after_differing += differs;
			f->longest = differs ? MAX(f->longest, since) : f->longest;
			struct concurrency_probe *near =
			        &at[MIN(since, STRESS_NEAR) - 1][p->number];
			near->n++;
			near->hits += differs;
		}
	}
	f->poison = judge_poison(at);
}

static void finish(struct work *w)
{
	for (size_t i = 0; i < w->n_canary_answers; i++) {
		free(w->canary_answers[i].text);
	}
	for (size_t i = 0; i < w->n_probes; i++) {
		free(w->probes[i].text);
	}
	free(w->answers);
	free(w->canary_answers);
	free(w->probes);
}

void stress_read(struct capture *c, const struct stress_input *input, struct stress_finding *ret)
{
	struct work w = {.capture = c, .input = input, .finding = ret};
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
	concurrency_judge(
	        input->levels, input->n_levels, w.answers, w.n_answers, &ret->concurrency);
	concurrency_effect(w.answers, w.n_answers, &ret->effect);
	find_leaks(&w);
	find_poison(&w);
	finish(&w);
}

bool stress_found(const struct stress_finding *f)
{
	const struct concurrency *s = &f->concurrency;
	return f->leaks > 0 || f->poison.found || s->jumps.found || s->drift.found ||
	       s->change.found || s->failed.found || s->loops.found || s->empty.found ||
	       s->foreign.found;
}

bool stress_has_data(const struct stress_finding *f)
{
	return f->concurrency.loaded > 0 && f->concurrency.alone > 0;
}
