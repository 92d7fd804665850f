/*
 * ablation_judge - evaluates the answers of an ablation: effects, their intervals, and tests with a
 * joint correction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/ablation_parts.h"
#include "analyzer/stats/permutation.h"
#include "base/mem.h"
#include "base/multiple_testing.h"
#include "base/rng.h"

static const struct permutation NO_PERMUTATIONS = {.most = 9999, .enough = 100};

/* Answers to one prompt on both sides of a switch, in one setting of the others. */
struct edge {
	/* a hash of cluster and setting: edges with the same key get the same permutations */
	uint64_t key;
	size_t n_off, n;
	double weight;
	uint16_t text_numbers[2 * ABLATION_REPEATS];
};

/* The share of differing pairs across the switch, minus the mean share within its two sides. */
static double excess(const uint16_t *text_numbers, size_t n_off, size_t n)
{
	double same[N_ABLATION_SIDES] = {0};
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			enum ablation_side side = k < n_off    ? WITHIN_OFF
			                          : i >= n_off ? WITHIN_ON
			                                       : BETWEEN;
			same[side] += text_numbers[i] == text_numbers[k];
		}
	}
	double off = (double)n_off, on = (double)(n - n_off);
	return (same[WITHIN_OFF] / (off * (off - 1) / 2) + same[WITHIN_ON] / (on * (on - 1) / 2)) /
	               2 -
	       same[BETWEEN] / (off * on);
}

static const uint16_t *text_numbers_of(
        const struct ablation *a, const struct ablation_prompt *p, size_t cell)
{
	size_t at = p->from;
	for (size_t i = 0; i < cell; i++) {
		at += p->n[i];
	}
	return a->text_numbers + at;
}

static bool is_edge(const struct ablation_prompt *p, size_t off, size_t f)
{
	size_t on = off | (size_t)1 << f;
	return on != off && p->n[off] > 1 && p->n[on] > 1;
}

static struct edge edge_of(
        const struct ablation *a, const struct ablation_prompt *p, size_t off, size_t f)
{
	size_t on = off | (size_t)1 << f;
	struct edge e = {.n_off = p->n[off], .n = (size_t)p->n[off] + p->n[on]};
	memcpy(e.text_numbers, text_numbers_of(a, p, off), p->n[off] * sizeof(*e.text_numbers));
	memcpy(e.text_numbers + p->n[off], text_numbers_of(a, p, on),
	        p->n[on] * sizeof(*e.text_numbers));
	e.key = XXH3_64bits_withSeed(p->cluster, sizeof(p->cluster), off << 8 | f);
	return e;
}

static bool is_uniform(const struct edge *e)
{
	for (size_t i = 1; i < e->n; i++) {
		if (e->text_numbers[i] != e->text_numbers[0]) {
			return false;
		}
	}
	return true;
}

/* Lists the factor's edges with differing answers; all others contribute 0 in every permutation. */
static struct edge *list_edges(const struct ablation *a, size_t f, size_t *ret_n)
{
	size_t n_cells = (size_t)1 << a->n_factors, n = 0, room = 64;
	struct edge *all = xmalloc(room * sizeof(*all));
	for (size_t i = 0; i < a->n_prompts; i++) {
		const struct ablation_prompt *p = &a->prompts[i];
		size_t of_prompt = 0, first = n;
		for (size_t off = 0; off < n_cells; off++) {
			if (!is_edge(p, off, f)) {
				continue;
			}
			of_prompt++;
			if (n == room) {
				room *= 2;
				all = xrealloc(all, room * sizeof(*all));
			}
			all[n] = edge_of(a, p, off, f);
			n += !is_uniform(&all[n]);
		}
		for (size_t k = first; k < n; k++) {
			all[k].weight = 1 / (double)of_prompt;
		}
	}
	*ret_n = n;
	return all;
}

/* The p value of a permutation test: how often the effect is at least as large if answers are
 * assigned to the two sides of the switch at random. */
static double test_main(const struct ablation *a, size_t f)
{
	struct permutation t = NO_PERMUTATIONS;
	size_t n = 0;
	struct edge *edges = list_edges(a, f, &n);
	double observed = 0;
	for (size_t k = 0; k < n; k++) {
		observed +=
		        edges[k].weight * excess(edges[k].text_numbers, edges[k].n_off, edges[k].n);
	}
	while (permutation_wanted(&t)) {
		double sum = 0;
		for (size_t k = 0; k < n; k++) {
			struct edge e = edges[k];
			struct rng rng = rng_of(e.key, t.n);
			RNG_SHUFFLE(&rng, e.n, e.text_numbers[i]);
			sum += e.weight * excess(e.text_numbers, e.n_off, e.n);
		}
		permutation_count(&t, sum, observed);
	}
	free(edges);
	return permutation_p(&t);
}

/* For one prompt: how much larger the switch's effect is if another switch is on. */
static double given(const struct ablation *a, const struct ablation_prompt *p, size_t f, size_t g)
{
	double sum[2] = {0}, n[2] = {0};
	for (size_t off = 0; off < (size_t)1 << a->n_factors; off++) {
		if (is_edge(p, off, f)) {
			struct edge e = edge_of(a, p, off, f);
			size_t on = off >> g & 1;
			sum[on] += excess(e.text_numbers, e.n_off, e.n);
			n[on]++;
		}
	}
	return n[0] > 0 && n[1] > 0 ? sum[1] / n[1] - sum[0] / n[0] : 0;
}

static double test_given(const struct ablation *a, size_t f, size_t g)
{
	struct permutation t = NO_PERMUTATIONS;
	double *values = xcalloc(a->n_prompts + 1, sizeof(*values)), observed = 0;
	uint64_t *keys = xcalloc(a->n_prompts + 1, sizeof(*keys));
	size_t n = 0;
	for (size_t i = 0; i < a->n_prompts; i++) {
		values[n] = given(a, &a->prompts[i], f, g);
		keys[n] = XXH3_64bits(a->prompts[i].cluster, CLUSTERS_KEY_SIZE);
		observed += values[n];
		n += values[n] != 0;
	}
	while (permutation_wanted(&t)) {
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			struct rng rng = rng_of(keys[i], t.n);
			sum += rng_next(&rng) >> 63 ? values[i] : -values[i];
		}
		permutation_count(&t, fabs(sum), fabs(observed));
	}
	free(values);
	free(keys);
	return permutation_p(&t);
}

/* The weights of an effect: pairs across the switch, minus half of the pairs within each side. */
static const double WEIGHTS[N_ABLATION_SIDES] = {
        [BETWEEN] = 1, [WITHIN_OFF] = -0.5, [WITHIN_ON] = -0.5};
#define PER_TOKENS 1000 /* a hazard is a rate per so many tokens */

static void estimate_main(const struct ablation *a, size_t f, struct ablation_effect *ret)
{
	struct rate_term flips[N_ABLATION_SIDES], hazards[N_ABLATION_SIDES];
	for (enum ablation_side i = 0; i < N_ABLATION_SIDES; i++) {
		size_t figure = ablation_main_figure(f, i);
		flips[i] = (struct rate_term){figure, figure, WEIGHTS[i]};
		hazards[i] = (struct rate_term){
		        ablation_hazard_figure(f, i), figure, PER_TOKENS * WEIGHTS[i]};
	}
	clusters_estimate_rates(a->clusters, flips, N_ABLATION_SIDES, &ret->flip);
	clusters_estimate_rates(a->clusters, hazards, N_ABLATION_SIDES, &ret->hazard);
}

static void estimate_given(
        const struct ablation *a, size_t f, size_t g, struct ablation_effect *ret)
{
	struct rate_term terms[2 * N_ABLATION_SIDES];
	for (size_t on = 0; on < 2; on++) {
		for (enum ablation_side i = 0; i < N_ABLATION_SIDES; i++) {
			size_t figure = ablation_given_figure(a, f, g, on, i);
			terms[on * N_ABLATION_SIDES + i] =
			        (struct rate_term){figure, figure, WEIGHTS[i]};
		}
	}
	clusters_estimate_rates(a->clusters, terms, N_ABLATION_SIDES, &ret->off);
	clusters_estimate_rates(a->clusters, terms + N_ABLATION_SIDES, N_ABLATION_SIDES, &ret->on);
	for (size_t i = 0; i < N_ABLATION_SIDES; i++) {
		terms[i].weight = -terms[i].weight;
	}
	clusters_estimate_rates(a->clusters, terms, 2 * N_ABLATION_SIDES, &ret->flip);
	ret->hazard = (struct estimate){NAN, {NAN, NAN}, 0, NAN, NAN, NAN};
}

/* Adjusts the p values so that one alpha holds for all tests together. */
static void adjust(struct ablation_result *r)
{
	double p[ABLATION_FACTORS * ABLATION_FACTORS];
	size_t k = r->n_factors;
	for (size_t f = 0; f < k; f++) {
		for (size_t g = 0; g < k; g++) {
			p[f * k + g] = f == g ? r->mains[f].p : r->given[f][g].p;
		}
	}
	multiple_testing_holm(p, k * k);
	for (size_t f = 0; f < k; f++) {
		for (size_t g = 0; g < k; g++) {
			struct ablation_effect *e = f == g ? &r->mains[f] : &r->given[f][g];
			e->adjusted = p[f * k + g];
			e->found = e->adjusted < ABLATION_ALPHA; /* false of NaN */
		}
	}
}

static void estimate_effects(const struct ablation *a, struct ablation_result *ret)
{
	for (size_t f = 0; f < a->n_factors; f++) {
		estimate_main(a, f, &ret->mains[f]);
		ret->prompts = f == 0 ? ret->mains[f].flip.clusters
		                      : MIN(ret->prompts, ret->mains[f].flip.clusters);
		for (size_t g = 0; g < a->n_factors; g++) {
			if (g != f) {
				estimate_given(a, f, g, &ret->given[f][g]);
			}
		}
	}
}

void ablation_judge(const struct ablation *a, struct ablation_result *ret)
{
	*ret = (struct ablation_result){.n_factors = a->n_factors};
	memcpy(ret->cells, a->cells, sizeof(ret->cells));
	estimate_effects(a, ret);
	for (size_t cell = 0; cell < (size_t)1 << a->n_factors; cell++) {
		clusters_estimate_share(
		        a->clusters, ablation_floor_figure(a, cell), &ret->floors[cell]);
	}
	ret->enough = ret->prompts >= ABLATION_LEAST;
	for (size_t f = 0; f < a->n_factors; f++) {
		for (size_t g = 0; g < a->n_factors; g++) {
			struct ablation_effect *e = f == g ? &ret->mains[f] : &ret->given[f][g];
			e->p = !ret->enough ? NAN : f == g ? test_main(a, f) : test_given(a, f, g);
		}
	}
	adjust(ret);
}

bool ablation_carries(const struct ablation_result *r, size_t factor)
{
	bool found = r->mains[factor].found;
	for (size_t g = 0; g < r->n_factors; g++) {
		found |= g != factor && r->given[factor][g].found;
	}
	return found;
}
