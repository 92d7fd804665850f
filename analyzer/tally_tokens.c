#include "analyzer/tally_tokens.h"

#include "analyzer/tokens/cause_signs.h"
#include "analyzer/tokens/metrics_tokens.h"
#include "analyzer/tokens/sheet.h"
#include "base/check.h"

#define HIDDEN_MUCH 0.2
#define JACCARD_5 5

/* What is under way with one pair. */
struct walk {
	struct tally *tally;
	struct tally_sums *sums;
	const struct tally_pair *pair;
	struct tally_facts *facts;
	struct listing_walk at;
	/* Positions that are reckoned together: nearly all, as long as lists are plain. */
	struct sheet alike, unlike;
	struct sample_picks picks; /* of the one that is being added up */
};

/* Noise and flips are of a greedy pair up to its first difference. */
static bool is_before(const struct walk *w)
{
	return w->pair->greedy && !w->facts->has_first;
}

static void sum_all(struct tally_sums *s, enum figure f, double part, size_t whole)
{
	s->part[f] += part;
	s->whole[f] += (double)whole;
}

/* What several look at of a sheet that is reckoned. */
struct columns_told {
	struct totals lp_change, top_change, jaccard;
	double same_top; /* its sum */
};

static void find_told(const struct sheet *s, struct columns_told *ret)
{
	totals_of(s->lp_change, s->n, &ret->lp_change);
	if (s->ordered) {
		double n = (double)s->n;
		ret->top_change = ret->lp_change;
		ret->jaccard = (struct totals){.n = s->n, .sum = n, .squares = n};
		ret->same_top = n;
		return;
	}
	totals_moments(s->top_change, s->n, &ret->top_change);
	totals_moments(s->jaccard, s->n, &ret->jaccard);
	ret->same_top = totals_sum(s->same_top, s->n);
}

static void add_lists(struct walk *w, const struct sheet *s, const struct columns_told *told)
{
	struct tally_sums *sums = w->sums;
	sum_all(sums, FIGURE_SAME_TOP, told->same_top, s->n);
	sum_all(sums, FIGURE_TOP1_RMSE, told->top_change.squares, told->top_change.n);
	sum_all(sums, FIGURE_JACCARD_K, told->jaccard.sum, s->n);
	sum_all(sums, FIGURE_JACCARD_5, told->jaccard.sum, s->n);
	if (is_before(w)) {
		struct totals noise;
		totals_of(s->noise, s->n, &noise);
		sample_add_all(&w->tally->noise, &w->picks, s->noise, &noise);
		flips_add_all(&w->tally->flips, s->gap, s->n);
	}
}

static void add_chosen(struct walk *w, const struct sheet *s, const struct columns_told *told)
{
	struct tally_sums *sums = w->sums;
	const struct totals *lp = &told->lp_change;
	struct totals p;
	totals_of(s->p_change, s->n, &p);
	sum_all(sums, FIGURE_DELTA_LP, lp->sum, lp->n);
	sum_all(sums, FIGURE_DELTA_LP_RMS, lp->squares, lp->n);
	sum_all(sums, FIGURE_DELTA_P_RMS, p.squares, p.n);
	sample_add_all(&w->tally->delta_lp, &w->picks, s->lp_change, lp);
	sample_add_all(&w->tally->delta_p, &w->picks, s->p_change, &p);
}

/* What is nothing but a mean. */
static void add_means(struct tally_sums *sums, const struct sheet *s)
{
	static const enum figure FIGURES[TOTALS_AT_ONCE] = {FIGURE_RANK, FIGURE_K3, FIGURE_TV_LOW,
	        FIGURE_TV_HIGH, FIGURE_JS_LOW, FIGURE_JS_HIGH, FIGURE_HIDDEN,
	        FIGURE_KL_RENORMALISED};
	const double *const columns[TOTALS_AT_ONCE] = {s->rank, s->k3, s->tv_low, s->tv_high,
	        s->js_low, s->js_high, s->hidden, s->renormalised};
	double all[TOTALS_AT_ONCE];
	totals_sums(columns, s->n, all);
	for (size_t k = 0; k < TOTALS_AT_ONCE; k++) {
		sum_all(sums, FIGURES[k], all[k], s->n);
	}
}

static void add_distances(struct walk *w, const struct sheet *s)
{
	struct tally_sums *sums = w->sums;
	struct totals kl_low;
	totals_of(s->kl_low, s->n, &kl_low);
	sum_all(sums, FIGURE_KL_LOW, kl_low.sum, s->n);
	sample_add_all(&w->tally->kl_low, &w->picks, s->kl_low, &kl_low);
	w->tally->hidden_much += totals_above(s->hidden, s->n, HIDDEN_MUCH);
}

static void pick(struct walk *w, const struct sheet *s)
{
	const struct tally *t = w->tally;
	const struct sample *const samples[] = {&t->delta_lp, &t->delta_p, &t->kl_low, &t->noise};
	_Static_assert(SHEET_MOST <= SAMPLE_AT_ONCE, "all rows at once");
	sample_pick(&w->picks, samples, ARRAY_LEN(samples), w->pair->key, s->at, s->n);
}

/* Reckons a sheet and adds up what it says. */
static void flush(struct walk *w, struct sheet *s)
{
	if (s->n == 0) {
		return;
	}
	struct columns_told told;
	sheet_reckon(s);
	pick(w, s);
	find_told(s, &told);
	add_lists(w, s, &told);
	add_chosen(w, s, &told);
	add_distances(w, s);
	add_means(w->sums, s);
	if (w->pair->metrics) {
		metrics_add_sheet(
		        w->pair->metrics, s, &told.top_change, &told.jaccard, told.same_top);
	}
	if (w->pair->signs) {
		cause_signs_sheet(w->pair->signs, s);
	}
	sheet_clear(s);
}

static void flush_all(struct walk *w)
{
	flush(w, &w->alike);
	flush(w, &w->unlike);
}

/* Of a row that a sheet took, or of none: false, the position is to be looked at alone. */
static inline bool is_taken(struct walk *w, struct sheet *s, uint32_t base_row)
{
	if (!s) {
		return false;
	}
	if (w->pair->signs) {
		size_t row = s->n - 1;
		s->seen[row] = cause_signs_row(w->pair->signs, &w->at.base_listings, base_row,
		        (uint32_t)s->chosen[row], s->at[row]);
	}
	if (sheet_is_full(s)) {
		flush(w, s);
	}
	return true;
}

/* Takes the position under way to be reckoned with others. */
static bool take(struct walk *w)
{
	const struct listing_walk *at = &w->at;
	return at->at.equal &&
	       is_taken(w, sheet_take(&w->alike, &w->unlike, &at->base, &at->test), at->base.from);
}

/* The same of a position of a plain strip. */
static bool take_of_strip(struct walk *w, const struct strip *strip, uint32_t i)
{
	return is_taken(w, sheet_take_of_strip(&w->alike, &w->unlike, strip, i),
	        strip->base_row + LISTING_PLAIN * i);
}

/* The same of n positions of a strip from i on, all of which strip_is_alike() of. */
static void take_alike(struct walk *w, const struct strip *strip, uint32_t i, uint32_t n)
{
	struct sheet *s = &w->alike;
	for (uint32_t taken; n > 0; i += taken, n -= taken) {
		taken = MIN(n, (uint32_t)(SHEET_MOST - s->n));
		if (w->pair->signs) {
			cause_signs_rows_first(w->pair->signs, strip->base,
			        strip->base_row + LISTING_PLAIN * i, strip->a + i, taken,
			        s->seen + s->n);
		}
		sheet_take_alike(s, strip, i, taken);
		if (sheet_is_full(s)) {
			flush(w, s);
		}
	}
}

static void sum_lists(struct tally_sums *s, const struct position *p, bool tops_are_told)
{
	if (tops_are_told && p->best_base != POSITION_NONE && p->best_test != POSITION_NONE) {
		double lp = p->test[p->best_base];
		tally_sum(s, FIGURE_SAME_TOP, p->best_base == p->best_test);
		if (!isnan(lp)) {
			double d = lp - p->base[p->best_base];
			tally_sum(s, FIGURE_TOP1_RMSE, d * d);
		}
	}
	double jaccard = position_jaccard(p);
	tally_sum(s, FIGURE_JACCARD_K, jaccard);
	if (p->k == JACCARD_5) {
		tally_sum(s, FIGURE_JACCARD_5, jaccard);
	}
}

static void sum_distances(
        struct walk *w, const struct position *p, const struct bounds *b, uint64_t hash)
{
	struct tally_sums *s = w->sums;
	double hidden = (b->p_hidden + b->r_hidden) / 2;
	tally_sum(s, FIGURE_KL_LOW, b->kl_low);
	tally_sum(s, FIGURE_TV_LOW, b->tv_low);
	tally_sum(s, FIGURE_TV_HIGH, b->tv_high);
	tally_sum(s, FIGURE_JS_LOW, b->js_low);
	tally_sum(s, FIGURE_JS_HIGH, b->js_high);
	tally_sum(s, FIGURE_HIDDEN, hidden);
	tally_sum(s, FIGURE_KL_RENORMALISED, position_kl_renormalised(p));
	sample_add_hashed(&w->tally->kl_low, hash, b->kl_low);
	w->tally->hidden_much += hidden > HIDDEN_MUCH;
}

/* Of the token that the test chose: how the base finds it. */
static void sum_chosen(struct walk *w, const struct position *p, uint64_t hash)
{
	struct tally_sums *s = w->sums;
	size_t chosen = p->chosen_test;
	double rank = position_rank(p);
	tally_sum(s, FIGURE_RANK, rank);
	w->tally->rank_unlisted += isnan(rank) && p->n_base > 0;
	if (chosen == POSITION_NONE || isnan(p->test[chosen]) || isnan(p->base[chosen])) {
		return;
	}
	double test = p->test[chosen], base = p->base[chosen];
	tally_sum(s, FIGURE_K3, bounds_k3(test, base));
	if (w->at.at.equal) {
		double lp = test - base, change = p->test_p[chosen] - p->base_p[chosen];
		tally_sum(s, FIGURE_DELTA_LP, lp);
		tally_sum(s, FIGURE_DELTA_LP_RMS, lp * lp);
		tally_sum(s, FIGURE_DELTA_P_RMS, change * change);
		sample_add_hashed(&w->tally->delta_lp, hash, lp);
		sample_add_hashed(&w->tally->delta_p, hash, change);
	}
}

static void add_noise(struct walk *w, const struct position *p, uint64_t hash)
{
	struct tally *t = w->tally;
	const struct listing_walk *at = &w->at;
	flips_add(&t->flips, position_gap(p));
	if (at->at.equal) {
		sample_add_hashed(&t->noise, hash, first_noise(&at->test, &at->base));
		return;
	}
	flush_all(w); /* while what they hold is before the first difference */
	first_find(&at->test, &at->base, &w->facts->first);
	firsts_add(&t->firsts, &w->facts->first);
	w->facts->has_first = true;
}

static void add_alone(struct walk *w)
{
	const struct listing_walk *at = &w->at;
	uint64_t hash = sample_hash(w->pair->key + at->at.a);
	struct position p;
	struct bounds b;
	position_read(&at->base, &at->test, &p);
	bool bare = position_is_bare(&p);
	if (!bare) {
		position_bounds(&p, &b);
	}
	if (w->pair->metrics) {
		metrics_add_position(w->pair->metrics, &at->base, &at->test, &p, at->at.equal);
	}
	if (w->pair->signs) {
		cause_signs_position(w->pair->signs, at, &p, bare ? NULL : &b);
	}
	if (!bare) {
		sum_lists(w->sums, &p, listing_tops_are_told(&at->base, &at->test));
		sum_distances(w, &p, &b, hash);
	}
	sum_chosen(w, &p, hash);
	if (is_before(w)) {
		add_noise(w, &p, hash);
	}
}

static void look_at(struct walk *w)
{
	if (!take(w)) {
		add_alone(w);
	}
}

static void take_unlike(struct walk *w, const struct strip *strip, uint32_t i)
{
	if (!take_of_strip(w, strip, i)) {
		listing_walk_stand(&w->at, strip->a + i, strip->b + i);
		add_alone(w);
	}
}

static void walk_strip(struct walk *w, const struct strip *strip)
{
	uint32_t i = 0;
	while (i < strip->n) {
		uint32_t alike = strip_alike_from(strip, i);
		take_alike(w, strip, i, alike);
		i += alike;
		if (i < strip->n) {
			take_unlike(w, strip, i++);
		}
	}
	parting_walk_pass(&w->at.at, strip->n);
}

/* The next n positions, one by one; false: there are not as many. */
static bool walk_singly(struct walk *w, uint32_t n)
{
	for (; n > 0; n--) {
		if (!listing_walk_next(&w->at)) {
			return false;
		}
		look_at(w);
	}
	return true;
}

void tally_walk(struct tally *t, struct tally_sums *s, const struct tally_pair *pair,
        struct tally_facts *facts)
{
	struct walk w;
	struct strip strip;
	bool more = true;
	w.tally = t;
	w.sums = s;
	w.pair = pair;
	w.facts = facts;
	sheet_begin(&w.alike, &w.unlike);
	listing_walk_begin_in(&w.at, &pair->base->columns, &pair->test->columns, pair->keys);
	while (more) {
		strip_find(&w.at, &strip);
		if (strip.plain) {
			walk_strip(&w, &strip);
		} else {
			more = walk_singly(&w, MAX(strip.n, 1U));
		}
	}
	flush_all(&w);
	listing_walk_end(&w.at);
}
