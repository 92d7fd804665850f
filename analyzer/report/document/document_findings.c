#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/compare/tokens/flips.h"
#include "analyzer/fold/power.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/report/metric.h"
#include "analyzer/stats/distribution.h"
#include "analyzer/stats/proportion.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/multiple_testing.h"
#include "base/percent.h"

#define SLICE_ALPHA 0.01 /* level for all slices of a group together */
#define SLICE_LEAST 20   /* answers needed on each side of a comparison */

static char *change_sentence(const struct analysis_group *g)
{
	const struct meaning_counts *m = &g->sums[DECODING_GREEDY].meanings;
	const struct figure_value *v = &g->values[DECODING_GREEDY][FIGURE_ANSWER_CHANGED];
	uint64_t undecided = m->classes[MEANING_UNDECIDED];
	uint64_t alike = m->classes[MEANING_FORMAT] + m->classes[MEANING_WORDING];
	if (m->pairs == m->classes[MEANING_IDENTICAL]) {
		return NULL;
	}
	if (isnan(v->value)) {
		return NULL;
	}
	struct buf text = {0};
	buf_printf(&text, "Meaning: %" PRIu64 " of %.0f answers changed",
	        m->classes[MEANING_ANSWER_CHANGED] + m->classes[MEANING_STRUCTURAL], v->n);
	if (undecided > 0) {
		buf_printf(&text, ", %" PRIu64 " undecided", undecided);
	}
	if (alike > 0) {
		buf_printf(&text, "; in form or wording only: %" PRIu64, alike);
	}
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

/* "trusted differs from itself in 0.4 %" */
static void put_floor(
        struct buf *text, const char *name, const struct analysis_group *g, enum excess_pair of)
{
	const struct estimate *e = &g->excesses[EXCESS_DIFFER].by[of];
	if (isnan(e->value)) {
		return;
	}
	buf_printf(text, "%s differs from itself in ", name);
	metric_put(text, METRIC_SHARE, e->value);
	if (g->excess.of_repeats[of]) {
		buf_printf(text, " of %" PRIu64 " repeats of prompts", g->excess.pairs[of]);
	}
	buf_printf(text, ", ");
}

/* A floor from repeated prompts is compared only with answers to the same prompts. */
static void put_trial(struct buf *text, const struct analysis_group *g)
{
	const struct estimate *e = &g->excesses[EXCESS_DIFFER].by[EXCESS_BETWEEN];
	if (g->excess.of_repeats[EXCESS_OF_BASE] || g->excess.of_repeats[EXCESS_OF_TEST]) {
		buf_append_str(text, "the two differ in ");
		metric_put(text, METRIC_SHARE, e->value);
		buf_printf(text, " of %" PRIu64 " answers to the same prompts, ",
		        g->excess.pairs[EXCESS_BETWEEN]);
	}
}

/* The first figure with an alarm, else the share of differing answers. */
static const struct excess_verdict *loudest(const struct analysis_group *g)
{
	const struct excess_verdict *found = &g->excesses[EXCESS_DIFFER];
	for (size_t f = 0; f < N_EXCESSES && !found->alarm; f++) {
		found = g->excesses[f].alarm ? &g->excesses[f] : found;
	}
	return found;
}

/* Explains why an excess raises no alarm although its interval may be above 0: an alarm needs more
 * than 95 %. A verdict does not, so the sentence must not deny what its interval shows. */
static void put_inconclusive(struct buf *text, const struct excess_verdict *v)
{
	char p[DOCUMENT_P_SIZE];
	buf_append_str(text, v->excess.ci.low > v->least
	                             ? "more than the least effect, but this raises no alarm"
	                             : "not shown to be more than run-to-run noise");
	if (v->p >= EXCESS_ALPHA) {
		buf_printf(text,
		        " (%s, corrected for %d figures, of %zu prompts; the limit is %.2g)",
		        document_p(v->p, p), N_EXCESSES, v->excess.clusters, EXCESS_ALPHA);
	} else if (!isnan(v->p)) {
		buf_printf(text, " (its interval holds 0)");
	}
	buf_printf(text, ".");
}

/* proven: a proven cause shows which side causes the difference. */
static char *floor_sentence(const struct analysis_group *g, bool proven)
{
	const struct excess_verdict *differ = &g->excesses[EXCESS_DIFFER], *loud = loudest(g);
	enum excess_ground ground = excess_ground(&g->excess);
	if (g->is_floor || ground == EXCESS_GROUND_NONE || g->excess.pairs[EXCESS_BETWEEN] == 0 ||
	        !(differ->by[EXCESS_BETWEEN].value > 0)) {
		return NULL;
	}
	struct buf text = {0};
	char p[DOCUMENT_P_SIZE];
	buf_printf(&text, "Noise floor: ");
	put_floor(&text, g->base, g, EXCESS_OF_BASE);
	put_floor(&text, g->test, g, EXCESS_OF_TEST);
	put_trial(&text, g);
	const struct estimate *left = &differ->excess;
	buf_append_str(&text, "so the excess is ");
	document_put_change(&text, METRIC_SHARE, left->value, left->ci);
	buf_append_str(&text, ": ");
	enum excess_finding found = excess_finding(&g->excess, g->excesses);
	enum excess_pair noisy = excess_noisy_side(&g->excess, g->excesses);
	if (found != EXCESS_WITHIN && left->ci.low > differ->least && noisy != EXCESS_BETWEEN) {
		const char *name = noisy == EXCESS_OF_BASE ? g->base : g->test;
		buf_printf(&text,
		        "more than the mean of both floors, but %s differs from itself as much: "
		        "its run-to-run noise explains this.",
		        name);
	} else if (found == EXCESS_WITHIN) {
		buf_printf(&text, "within run-to-run noise.");
	} else if (found == EXCESS_UNDECIDED) {
		put_inconclusive(&text, differ);
	} else if (ground == EXCESS_GROUND_BOTH) {
		buf_printf(&text, "more than run-to-run noise (%s, corrected for %d figures).",
		        document_p(loud->p, p), N_EXCESSES);
	} else {
		const char *other = ground == EXCESS_GROUND_BASE ? g->test : g->base;
		buf_printf(&text, "more than run-to-run noise (%s)", document_p(loud->p, p));
		buf_printf(&text, proven ? "." : "; the noise of %s was not measured.", other);
	}
	return buf_steal(&text);
}

static void put_flips(struct buf *text, const struct analysis_group *g)
{
	const struct pair_sums *t = &g->sums[DECODING_GREEDY];
	double expected = flips_expected(&t->gaps, g->sigma);
	uint64_t observed = t->survival.events.n;
	/* Without noise at most positions, noise has no size that could explain a change. Drift as
	 * the cause has a test of its own for the size of the differences. */
	if (isnan(expected) || g->sigma <= 0 || observed == 0 ||
	        cause_list_get(&g->found, CAUSE_DRIFT)) {
		return;
	}
	static const char *const VERDICTS[] = {
	        [FLIPS_NOISE] = "rounding can explain them",
	        [FLIPS_UNCERTAIN] = "too few to say whether rounding explains them",
	        [FLIPS_MORE] = "rounding alone does not explain them",
	};
	buf_printf(text,
	        " Rounding (noise of %.3g nats) would change about %.*f answers; %" PRIu64
	        " changed: %s.",
	        g->sigma, expected < 10 ? 1 : 0, expected, observed,
	        VERDICTS[flips_judge(expected, observed, log_histogram_count(&t->gaps))]);
}

static const char *class_of(enum first_verdict v)
{
	return v == FIRST_UNKNOWN   ? "not classified"
	       : v == FIRST_FOREIGN ? "not in the other side's list"
	                            : first_verdict_name(v);
}

static char *first_sentence(const struct analysis_group *g)
{
	const struct first_differences_verdict *v = &g->first_verdict;
	uint64_t n = first_differences_total(&g->sums[DECODING_GREEDY].firsts);
	if (n == 0) {
		return NULL;
	}
	struct buf text = {0};
	buf_printf(&text, "First differences by class: ");
	for (size_t i = 0, shown = 0; i < N_FIRSTS; i++) {
		if (v->n[i] > 0) {
			buf_printf(&text, "%s%" PRIu64 " %s", shown++ ? ", " : "", v->n[i],
			        class_of((enum first_verdict)i));
		}
	}
	buf_printf(&text, ".");
	put_flips(&text, g);
	return buf_steal(&text);
}

/* Two-sided p value of the hypothesis that this slice's share equals that of all others
 * together. */
static double p_of(const struct analysis_group *g, const struct facet *f, double *ret_rest)
{
	uint64_t pairs = 0, differ = 0;
	const struct facet_list *of = &g->facets.of[f->kind];
	for (size_t i = 0; i < of->n; i++) {
		const struct facet *each = &of->items[i];
		if (each != f) {
			pairs += each->pairs;
			differ += each->differ;
		}
	}
	if (pairs < SLICE_LEAST || f->pairs < SLICE_LEAST) {
		return NAN;
	}
	double here = (double)f->differ / (double)f->pairs, all = (double)(differ + f->differ);
	*ret_rest = (double)differ / (double)pairs;
	double pooled = all / (double)(pairs + f->pairs);
	double independent = pooled * (1 - pooled) / (double)f->pairs;
	double clustered = f->values[FACET_DIFFER].error * f->values[FACET_DIFFER].error;
	double variance = fmax(independent, isnan(clustered) ? 0 : clustered) +
	                  pooled * (1 - pooled) / (double)pairs;
	double z = variance > 0 ? fabs(here - *ret_rest) / sqrt(variance) : 0;
	return 2 * distribution_normal_below(-z);
}

static char *slice_sentence(const struct analysis_group *g)
{
	size_t n = facets_count(&g->facets), found = n, at = 0;
	double *p = xcalloc(n + 1, sizeof(*p)), rest = 0;
	const struct facet **slices = xcalloc(n + 1, sizeof(*slices));
	for (size_t k = 0; k < N_FACETS; k++) {
		for (size_t i = 0; i < g->facets.of[k].n; i++, at++) {
			slices[at] = &g->facets.of[k].items[i];
			p[at] = p_of(g, slices[at], &rest);
		}
	}
	multiple_testing_holm(p, n);
	for (size_t i = 0; i < n; i++) {
		if (p[i] < SLICE_ALPHA && (found == n || p[i] < p[found])) {
			found = i;
		}
	}
	struct buf text = {0};
	char shown[DOCUMENT_P_SIZE];
	if (found < n) {
		const struct facet *f = slices[found];
		(void)p_of(g, f, &rest);
		buf_printf(&text, "Some requests differ more: where %s is %s, ",
		        facet_kind_name(f->kind), f->name);
		metric_put(&text, METRIC_SHARE, (double)f->differ / (double)f->pairs);
		buf_printf(&text, " of %" PRIu64 " answers differ, elsewhere ", f->pairs);
		metric_put(&text, METRIC_SHARE, rest);
		buf_printf(&text, " (%s over %zu slices; --json has all).",
		        document_p(p[found], shown), n);
	}
	free(p);
	free(slices);
	return text.len ? buf_steal(&text) : NULL;
}

static char *short_slices_sentence(const struct analysis_group *g)
{
	const struct facets *all = &g->facets;
	const struct facet *shown = NULL;
	double needs = 0;
	size_t few = 0, slices = 0;
	for (size_t k = 0; k < N_FACETS; k++) {
		/* A value that all answers share is no slice. */
		for (size_t i = 0; all->of[k].n > 1 && i < all->of[k].n; i++) {
			const struct facet *f = &all->of[k].items[i];
			double needed = power_slice_needed(all, f);
			bool is_short = !((double)f->pairs >= needed);
			slices++;
			few += is_short;
			if (is_short && !isnan(needed) && (!shown || f->pairs > shown->pairs)) {
				shown = f;
				needs = needed;
			}
		}
	}
	if (few == 0 || !shown) {
		return NULL;
	}
	return xasprintf("%zu of %zu groups of requests have too few answers to compare: where "
	                 "%s is %s, there are %" PRIu64
	                 "; a difference of %.0f %% needs about %.0f.",
	        few, slices, facet_kind_name(shown->kind), shown->name, shown->pairs,
	        100 * POWER_SLICE_EFFECT, document_rounded(needs));
}

/* Takes over text; NULL adds nothing. */
static void add(json_t *list, const char *key, char *text)
{
	if (text) {
		json_t *o = json_object();
		node_set_text(o, "key", key);
		node_set_text(o, "text", text);
		json_array_append_new(list, o);
	}
	free(text);
}

static char *greedy_sentence(const struct analysis_group *g)
{
	struct score_flips f = scores_flips(&g->scores);
	char share[PERCENT_SIZE];
	if (!(f.sigma > 0) || g->is_floor || group_has(g, DECODING_GREEDY)) {
		return NULL;
	}
	return xasprintf("Decoded greedily, about %s of answers of this length would differ if "
	                 "numeric noise "
	                 "were the only difference: its %.3g nats change %.2g of 1,000 tokens.",
	        percent_text(f.answers, share), f.sigma, f.per_tokens);
}

json_t *document_findings(const struct analysis_group *g, bool proven)
{
	json_t *list = json_array();
	if (group_has(g, DECODING_GREEDY)) {
		add(list, "meaning", change_sentence(g));
		add(list, "right_answers", document_gold_sentence(g));
		for (size_t k = 0; k < g->opinions.n; k++) {
			add(list, "judge", document_opinions_sentence(&g->opinions.judges[k]));
		}
		add(list, "noise_floor", floor_sentence(g, proven));
		add(list, "first_differences", first_sentence(g));
		add(list, "slices", slice_sentence(g));
		add(list, "short_slices", short_slices_sentence(g));
	}
	add(list, "sampled", document_sampled_sentence(g));
	add(list, "expected_greedy", greedy_sentence(g));
	return list;
}

/* The interval treats the pairs as independent: the pairs of a cause are not counted by prompt, and
 * those of some causes (`load`, `cache`, `change_point`) are estimated, not counted. */
static json_t *explained(const struct cause *c)
{
	struct cause_share s = cause_share(c);
	json_t *o = json_object();
	node_set_count(o, "n", s.n);
	node_set_count(o, "of", s.of);
	node_set_number(o, "rate", s.of > 0 ? (double)s.n / (double)s.of : NAN);
	json_object_set_new(
	        o, "ci95", s.of > 0 ? document_interval(proportion_rate(s.n, s.of)) : json_null());
	node_set_flag(o, "of_greedy", s.of_greedy);
	return o;
}

json_t *document_cause(const struct cause *c)
{
	json_t *o = json_object(), *ids = json_array();
	for (size_t i = 0; i < c->exchanges.n; i++) {
		char id[ID_TEXT_SIZE];
		json_array_append_new(ids, json_string(id_format(c->exchanges.ids[i], id)));
	}
	node_set_text(o, "key", cause_words(c->kind)->key);
	node_set_text(o, "title", cause_words(c->kind)->title);
	json_object_set_new(o, "text", document_full_sentence(xstrdup(c->text)));
	node_set_text(o, "side", cause_side_name(c->side));
	node_set_text(o, "side_from",
	        c->side == CAUSE_OF_UNKNOWN ? NULL : cause_side_from_name(c->side_from));
	json_object_set_new(o, "explained", explained(c));
	node_set_number(o, "p", c->p);
	json_object_set_new(o, "exchanges", ids);
	node_set_text(o, "fix", c->fix);
	node_set_text(o, "confirm", c->confirm);
	return o;
}

json_t *document_causes(const struct cause_list *l, const json_t *likely)
{
	json_t *list = json_array();
	for (size_t i = 0; i < l->n; i++) {
		json_t *cause = document_cause(&l->items[i]);
		json_array_insert_new(list, json_equal(cause, likely) ? 0 : i, cause);
	}
	return list;
}
