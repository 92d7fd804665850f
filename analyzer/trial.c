#include "analyzer/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/choices.h"
#include "analyzer/opinions/grades.h"
#include "analyzer/compare/pair.h"
#include "analyzer/trial_blame.h"
#include "analyzer/trial_facets.h"
#include "analyzer/trial_work.h"
#include "base/mem.h"

static const char *name_of(struct trial_work *w, const struct leg_row *leg)
{
	const struct analysis_options *o = w->trial->options;
	if (o->base_label && pair_is_of_side(leg, &o->wish.base)) {
		return o->base_label;
	}
	if (o->test_label && pair_is_of_side(leg, &o->wish.test)) {
		return o->test_label;
	}
	return slices_name(w->trial->slices, w->trial->capture, leg);
}

static struct analysis_group *group_for(struct analysis *a, struct trial_work *w,
        const struct leg_row *base, const struct leg_row *test)
{
	const struct group_key key = {
	        .base = name_of(w, base),
	        .test = name_of(w, test),
	        .base_role = base->role,
	        .test_role = test->role,
	        .is_floor = pair_is_floor(&w->trial->options->wish, base, test),
	};
	return analysis_group(a, &key);
}

static void expect_merge(struct analysis_group *g, const struct analysis *into)
{
	for (size_t i = 0; into && i < into->n_groups; i++) {
		const struct analysis_group *like = &into->groups[i];
		if (strcmp(g->base, like->base) == 0 && strcmp(g->test, like->test) == 0) {
			for (size_t d = 0; d < N_DECODINGS; d++) {
				tally_expect(&g->tallies[d], &like->tallies[d]);
			}
		}
	}
}

static uint64_t sample_key(const struct trial_work *w, const struct pair *p, int32_t choice)
{
	uint64_t word;
	memcpy(&word, w->e->row.id.bytes + 8, sizeof(word));
	return word ^ ((uint64_t)p->base << 56 | (uint64_t)p->test << 48 | (uint64_t)choice << 40);
}

static void remember(struct trial_work *w, const struct trial_judged *j)
{
	w->judged = xrealloc(w->judged, (w->n_judged + 1) * sizeof(*w->judged));
	w->judged[w->n_judged++] = *j;
}

/* How both were decoded. */
struct how {
	enum decoding decoding;
	struct decoding_reason reason; /* of unlike ones */
	bool has_seed;                 /* sampled, with one seed on both sides */
	int64_t seed;
};

/* Two choices as they are compared: with their reasoning in one place. */
struct sides {
	const struct choice *mine, *other; /* as they came */
	const struct choice *base, *test;
	bool evened;
};

static const struct reading *read_leg(void *arg, size_t leg)
{
	return trial_work_reading(arg, leg);
}

/* Two greedy answers, for judges and for those who look for work for them. */
static void tell_greedy(struct trial_work *w, const struct pair *p, const struct sides *s,
        const struct meaning *m, struct analysis_group *g)
{
	const struct trial *t = w->trial;
	const struct opinion_source source = {w->e, w, read_leg};
	opinions_note(&g->opinions, w->cluster, &source, p, s->mine->index, m);
	if (t->on_greedy) {
		const struct trial_greedy pair = {w->e, g, *p, s->mine, s->other, m};
		t->on_greedy(t->arg, &pair);
	}
}

/* What a report shows of the pair. */
static void show(struct trial_work *w, const struct pair *p, const struct tally_pair *pair,
        enum decoding decoding, const struct tally_facts *facts, struct analysis_group *g)
{
	const struct capture_exchange *e = w->e;
	const struct charts_pair points = {e->row.id, e->legs[p->test].row.start_ns, pair->key,
	        pair->base_tokens, pair->test_tokens, end_token_is_in(pair->base),
	        end_token_is_in(pair->test)};
	charts_add(&g->charts[decoding], &points, facts);
	const struct pick pick = {
	        .exchange = e->row.id,
	        .base = e->legs[p->base].row.id,
	        .test = e->legs[p->test].row.id,
	        .choice = pair->base->index,
	        .decoding = decoding,
	        .traces = g->causes.traced,
	        .badness = pick_badness(facts, pair->meaning, pair->greedy, pair->differ),
	        .hash = sample_hash(pair->key),
	};
	/* A floor of repeated prompts holds answers of two exchanges, which are no one's exhibit. */
	const struct leg_row *base = &e->legs[p->base].row, *test = &e->legs[p->test].row;
	if (id_compare(base->exchange, test->exchange) == 0) {
		picks_consider(&g->picks, w->trial->options->exhibits, &pick);
	}
}

static void observe(struct trial_work *w, const struct pair *p, const struct sides *s,
        const struct parting *parting, const struct how *how, struct trial_judged *j)
{
	const struct cause_facts facts = {
	        .exchange = w->e->row.id,
	        .cluster = w->cluster,
	        .base_leg = &w->e->legs[p->base].row,
	        .test_leg = &w->e->legs[p->test].row,
	        .base_reading = trial_work_reading(w, p->base),
	        .test_reading = trial_work_reading(w, p->test),
	        .base = s->base,
	        .test = s->test,
	        .parting = parting,
	        .facts = &j->facts,
	        .decoding = how->decoding,
	        .dropped = how->reason.what == DECODING_DROPPED,
	        .evened = s->evened,
	        .messages = w->e->row.facts.n_messages,
	        .request = trial_work_body(w),
	};
	causes_observe(&j->group->causes, &facts, &j->signs);
}

/* Right or wrong as the tests say, where they were run. */
static void put_grades(struct trial_work *w, const struct pair *p, int32_t choice,
        struct meaning *m, struct evidence *evidence)
{
	const struct opinion_source source = {w->e, w, read_leg};
	if (grades_are_wanted(&w->e->row.labels)) {
		m->base_gold = grades_find(&source, w->e->legs[p->base].row.id, choice);
		m->test_gold = grades_find(&source, w->e->legs[p->test].row.id, choice);
		evidence->ungraded += !gold_is_told(m->base_gold) || !gold_is_told(m->test_gold);
	}
}

static void tally_choices(struct trial_work *w, const struct pair *p, const struct sides *s,
        const struct how *how, struct analysis_group *g)
{
	enum decoding decoding = how->decoding;
	struct metrics *m = &g->by[decoding];
	uint64_t equal = m->equal;
	struct parting parting;
	struct meaning meaning;
	struct trial_judged j = {.base = p->base, .test = p->test, .group = g};
	struct cause_signs_reader *signs = &w->trial->signs;
	cause_signs_begin(signs, decoding == DECODING_GREEDY, trial_work_body(w), &j.signs);
	struct tally_pair pair = {
	        .cluster = w->cluster,
	        .seed = how->has_seed ? &how->seed : NULL,
	        .key = sample_key(w, p, s->mine->index),
	        .base = s->base,
	        .test = s->test,
	        .parting = &parting,
	        .meaning = &meaning,
	        .greedy = decoding == DECODING_GREEDY,
	        .metrics = m,
	        .signs = signs,
	};
	choices_tokens(trial_work_reading(w, p->base), s->mine, trial_work_reading(w, p->test),
	        s->other, &pair.base_tokens, &pair.test_tokens);
	parting_find(s->base, s->test, &parting);
	metrics_add_answer(m, s->base, s->test, pair.base_tokens, pair.test_tokens, &parting);
	end_tokens_add(&g->ends, s->base, s->test, pair.base_tokens, pair.test_tokens);
	pair.differ = m->equal == equal;
	meaning_compare(&w->trial->room, s->mine, s->other, trial_work_task(w), &meaning);
	put_grades(w, p, s->mine->index, &meaning, &g->evidence);
	tally_add(&g->tallies[decoding], &pair, &j.facts);
	cause_signs_choices(signs, s->base, s->test);
	observe(w, p, s, &parting, how, &j);
	show(w, p, &pair, decoding, &j.facts, g);
	if (pair.greedy) {
		remember(w, &j);
		if (!g->is_floor) {
			tell_greedy(w, p, s, &meaning, g);
		}
	}
	const char *suite = w->e->row.labels.suite;
	if (decoding == DECODING_SAMPLED && suite) {
		facets_add(&g->suites, FACET_SUITE, suite, NAN,
		        (struct facet_source){w->cluster, pair.seed}, &j.facts);
	}
	if (pair.greedy && pair.differ) {
		examples_consider(&g->examples, w->e->row.id, s->base, s->test, &parting);
	}
}

static void add_sampled(
        struct trial_work *w, const struct pair *p, const struct sides *s, struct analysis_group *g)
{
	const struct trial *t = w->trial;
	if (!s->evened) {
		openings_add(&g->openings, w->cluster, s->mine, s->other);
	}
	if (t->on_sampled) {
		const struct capture_leg *legs = w->e->legs;
		const struct trial_sampled pair = {
		        g, legs[p->base].row.id, legs[p->test].row.id, s->mine, s->other};
		t->on_sampled(t->arg, &pair);
	}
}

static void compare_choices(struct trial_work *w, const struct pair *p, const struct choice *mine,
        const struct choice *other, const struct how *how, struct analysis_group *g)
{
	struct choice base, test;
	struct sides s = {mine, other, mine, other, placement_differs(mine, other)};
	if (s.evened) {
		placement_even(mine, &base);
		placement_even(other, &test);
		s.base = &base;
		s.test = &test;
	}
	tally_choices(w, p, &s, how, g);
	if (how->decoding == DECODING_SAMPLED) {
		add_sampled(w, p, &s, g);
	}
	placement_count(&g->places, mine, other, s.evened);
	evidence_add_choice(&g->evidence, mine, other, how->decoding);
	evidence_add_numbers(
	        &g->evidence.base_numbers, mine, trial_work_reading(w, p->base)->marks);
	evidence_add_numbers(
	        &g->evidence.test_numbers, other, trial_work_reading(w, p->test)->marks);
	if (s.evened) {
		placement_finish(&base);
		placement_finish(&test);
	}
}

/* What the engine says it applies where nobody asks for one. */
static void note_penalty(double *penalty, const struct decoding_side *side)
{
	double told = side->told && isnan(side->facts->repetition_penalty)
	                      ? side->told->repetition_penalty
	                      : NAN;
	if (told > 0 && told != 1) {
		*penalty = fmax(*penalty, told);
	}
}

static struct how how_decoded(struct trial_work *w, const struct pair *p, struct analysis_group *g)
{
	struct decoding_side mine = trial_work_side(w, p->base),
	                     other = trial_work_side(w, p->test);
	struct how how = {0};
	how.decoding = decoding_judge(&mine, &other, &how.reason);
	note_penalty(&g->evidence.base_penalty, &mine);
	note_penalty(&g->evidence.test_penalty, &other);
	if (how.decoding == DECODING_UNLIKE) {
		unlike_add(&g->unlikes, &how.reason, mine.dialect, other.dialect);
	}
	how.has_seed = how.decoding == DECODING_SAMPLED && mine.facts->has_seed &&
	               other.facts->has_seed && mine.facts->seed == other.facts->seed;
	how.seed = mine.facts->seed;
	return how;
}

static void compare(struct trial_work *w, const struct pair *p, struct analysis_group *g)
{
	const struct reading *b = trial_work_reading(w, p->base),
	                     *t = trial_work_reading(w, p->test);
	const struct leg_row *base = &w->e->legs[p->base].row, *test = &w->e->legs[p->test].row;
	struct how how = how_decoded(w, p, g);
	size_t matched = 0;
	for (size_t i = 0; i < b->n_choices; i++) {
		const struct choice *mine = &b->choices[i];
		const struct choice *other = reading_choice(t, mine->index);
		if (other) {
			matched++;
			compare_choices(w, p, mine, other, &how, g);
		}
	}
	if (b->n_embeddings > 0 || t->n_embeddings > 0) {
		embedding_figures_add(&g->embeddings, b, t);
	}
	g->left_out.unlike_choices +=
	        b->n_choices - matched + (t->n_choices - MIN(matched, t->n_choices));
	evidence_add_prompt(&g->evidence, &b->usage, &t->usage);
	g->evidence.base_misspelt += (b->marks & READING_TOKENS_MISSPELL) != 0;
	g->evidence.test_misspelt += (t->marks & READING_TOKENS_MISSPELL) != 0;
	g->evidence.base_contradictory += (b->marks & READING_CONTRADICTORY_USAGE) != 0;
	g->evidence.test_contradictory += (t->marks & READING_CONTRADICTORY_USAGE) != 0;
	g->evidence.base_refused += (base->marks & LEG_INJECTION_REFUSED) != 0;
	g->evidence.test_refused += (test->marks & LEG_INJECTION_REFUSED) != 0;
}

static bool may_be_compared(struct trial_work *w, const struct pair *p, struct left_out *out)
{
	const struct leg_row *base = &w->e->legs[p->base].row, *test = &w->e->legs[p->test].row;
	if (left_out_is_cut(out, base, test)) {
		return false;
	}
	if (kept_is_metadata(&w->e->row, base) || kept_is_metadata(&w->e->row, test)) {
		out->metadata++;
		return false;
	}
	struct left_out_leg b = {base, trial_work_reading(w, p->base)};
	struct left_out_leg t = {test, trial_work_reading(w, p->test)};
	return !left_out_count(out, &b, &t);
}

static void leave_out(struct trial_work *w, const struct pair *p, struct analysis_group *g)
{
	causes_left_out(&g->causes, w->e->row.id, &w->e->legs[p->base].row,
	        w->legs[p->base].reading, &w->e->legs[p->test].row, w->legs[p->test].reading);
}

/* Groups are reserved first: their addresses must hold while the exchange is judged. */
static void add_pairs(struct analysis *a, struct trial_work *w, const struct pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct analysis_group *g = group_for(
		        a, w, &w->e->legs[pairs[i].base].row, &w->e->legs[pairs[i].test].row);
		a->ungrouped += !g;
		if (g && g->legs == 0) {
			expect_merge(g, w->trial->so_far);
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct analysis_group *g = group_for(
		        a, w, &w->e->legs[pairs[i].base].row, &w->e->legs[pairs[i].test].row);
		if (!g) {
			continue;
		}
		g->legs++;
		kept_add(&g->kept, &w->e->row, &w->e->legs[pairs[i].base].row,
		        &w->e->legs[pairs[i].test].row);
		if (may_be_compared(w, &pairs[i], &g->left_out)) {
			compare(w, &pairs[i], g);
		} else {
			leave_out(w, &pairs[i], g);
		}
	}
}

static void add_judged(struct trial_work *w)
{
	const struct trial_scene scene = {
	        w->e, &w->trial->options->wish, w->cluster, w->judged, w->n_judged};
	for (size_t i = 0; i < w->n_judged; i++) {
		const struct trial_judged *j = &w->judged[i];
		if (!j->group->is_floor) {
			trial_blame(&scene, j);
		}
		trial_facets(&j->group->facets, w->e, question_name(trial_work_task(w)->question),
		        j->base, j->test, w->cluster, &j->facts);
	}
}

/* What the scored legs of the exchange say of other legs. */
static void add_scores(struct analysis *a, struct trial_work *w)
{
	for (size_t i = 0; i < w->e->n_legs; i++) {
		const struct leg_row *scorer = &w->e->legs[i].row;
		/* One that was not stored whole is scored again, as another leg. */
		if (!leg_has_scores(scorer->marks) || (scorer->marks & LEG_TRUNCATED)) {
			continue;
		}
		size_t of = forced_leg_of(w->e, scorer);
		if (of == w->e->n_legs) {
			a->forced.orphans++;
			continue;
		}
		const struct request_facts *facts = trial_work_facts(w, of);
		const struct forced_pair pair = {
		        .of = &w->e->legs[of].row,
		        .scorer = scorer,
		        .answer = trial_work_reading(w, of),
		        .scored = trial_work_reading(w, i),
		        .decoding = decoding_of_pair(facts, facts),
		        .cluster = w->cluster,
		};
		forced_add(&a->forced, &pair);
	}
}

static bool has_scores(const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (leg_has_scores(e->legs[i].row.marks)) {
			return true;
		}
	}
	return false;
}

/* Counts an exchange without anything to judge. */
static bool is_of_no_use(struct analysis *to, const struct capture_exchange *e)
{
	if (!e->absent && e->row.endpoint == ENDPOINT_MESSAGES) {
		to->not_read++;
		return true;
	}
	if (!e->absent && e->row.endpoint == ENDPOINT_OTHER) {
		to->not_understood++;
		return true;
	}
	return false;
}

/* Trials, then floors; they stand in t->pairs, where there is room for so many more. */
static size_t find_pairs(struct trial *t, const struct capture_exchange *e, size_t more)
{
	const struct pair_wish *wish = &t->options->wish;
	size_t most = 2 * e->n_legs + more;
	if (most > t->pairs_room) {
		t->pairs_room = MAX(most, 2 * t->pairs_room);
		t->pairs = xrealloc(t->pairs, t->pairs_room * sizeof(*t->pairs));
	}
	size_t n = pair_find(e, wish, t->pairs);
	return n + pair_find_floors(e, wish, t->pairs, n, t->pairs + n);
}

/* By the first n of t->pairs. */
static void judge(struct trial *t, struct analysis *to, const struct capture_exchange *e, size_t n)
{
	struct trial_work w;
	trial_work_init(&w, t, e);
	add_pairs(to, &w, t->pairs, n);
	add_judged(&w);
	add_scores(to, &w);
	trial_work_finish(&w);
}

void trial_exchange(struct trial *t, struct analysis *to, struct capture_exchange *e)
{
	if (!selection_takes(&t->options->selection, t->capture, e, &to->left_out)) {
		return;
	}
	to->exchanges++;
	to->absent += e->absent;
	traffic_note(&to->traffic, e);
	for (size_t i = 0; i < e->n_legs; i++) {
		slices_note(&to->slices, &e->legs[i].row);
	}
	if (is_of_no_use(to, e)) {
		return;
	}
	repeats_add(&to->repeats, e);
	repeats_add_sampled(&to->samples, e);
	size_t n = find_pairs(t, e, 0);
	to->unpaired += n == 0;
	if (n > 0 || has_scores(e)) {
		judge(t, to, e, n);
	}
}

void trial_repeats(struct trial *t, struct analysis *to, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats)
{
	size_t all = e->n_legs;
	expect(own <= all);
	e->n_legs = own;
	size_t n = find_pairs(t, e, n_repeats);
	e->n_legs = all;
	if (n_repeats > 0) {
		memcpy(t->pairs + n, repeats, n_repeats * sizeof(*repeats));
	}
	judge(t, to, e, n + n_repeats);
}

void trial_finish(struct trial *t)
{
	meaning_room_finish(&t->room);
	free(t->pairs);
}
