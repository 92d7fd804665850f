#include "analyzer/stats/crossing.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/stats/distribution.h"

#define SEEDS_LIMIT (2 * CROSSING_MOST) /* never grouped */

/* A key of its own for each pair of cluster and seed. */
static void key_with_seed(
        const uint8_t cluster[CLUSTERS_KEY_SIZE], int64_t seed, uint8_t ret[CLUSTERS_KEY_SIZE])
{
	uint8_t both[CLUSTERS_KEY_SIZE + sizeof(seed)];
	memcpy(both, cluster, CLUSTERS_KEY_SIZE);
	memcpy(both + CLUSTERS_KEY_SIZE, &seed, sizeof(seed));
	XXH128_hash_t hash = XXH3_128bits(both, sizeof(both));
	_Static_assert(sizeof(hash) == CLUSTERS_KEY_SIZE, "a hash is a key");
	memcpy(ret, &hash, sizeof(hash));
}

struct crossing_cell crossing_cell_for(struct crossing *x, size_t n_figures,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], int64_t seed)
{
	static const uint8_t none[CLUSTERS_KEY_SIZE];
	uint8_t of_seed[CLUSTERS_KEY_SIZE], of_cell[CLUSTERS_KEY_SIZE];
	if (x->beyond) {
		return (struct crossing_cell){0};
	}
	if (!x->seeds) {
		x->seeds = clusters_create_limited(n_figures, SEEDS_LIMIT);
		x->cells = clusters_create(n_figures);
	}
	key_with_seed(none, seed, of_seed);
	key_with_seed(cluster, seed, of_cell);
	uint32_t row = clusters_row(x->seeds, of_seed);
	if (clusters_count(x->seeds) > CROSSING_MOST) {
		crossing_finish(x);
		x->beyond = true;
		return (struct crossing_cell){0};
	}
	return (struct crossing_cell){true, row, clusters_row(x->cells, of_cell)};
}

void crossing_add(
        struct crossing *x, struct crossing_cell at, size_t figure, double part, double whole)
{
	if (at.is_kept) {
		clusters_add(x->seeds, at.seed, figure, part, whole);
		clusters_add(x->cells, at.cell, figure, part, whole);
	}
}

void crossing_finish(struct crossing *x)
{
	clusters_destroy(x->seeds);
	clusters_destroy(x->cells);
	*x = (struct crossing){0};
}

/* Whether all of the figure's answers had a seed, and most prompts were sent with most seeds. */
static bool is_crossed(const struct crossing *x, const struct clusters *prompts, size_t figure)
{
	double all = clusters_total(prompts, figure).whole;
	double whole = clusters_total(x->seeds, figure).whole;
	double cells = clusters_number(prompts) * clusters_number(x->seeds);
	return whole > 0 && fabs(whole - all) <= 1e-9 * all &&
	       2 * clusters_number(x->cells) >= cells;
}

void crossing_widen(double value, struct interval *ci, double reach)
{
	ci->low = value - hypot(value - ci->low, reach);
	ci->high = value + hypot(ci->high - value, reach);
}

bool crossing_estimate(const struct crossing *x, const struct clusters *prompts, size_t figure,
        struct crossing_part *ret)
{
	size_t n_prompts, n_seeds, n_cells;
	if (!is_crossed(x, prompts, figure)) {
		return false;
	}
	double of_prompts = clusters_squares(prompts, figure, &n_prompts);
	double of_seeds = clusters_squares(x->seeds, figure, &n_seeds);
	double of_cells = clusters_squares(x->cells, figure, &n_cells);
	if (n_prompts < 2 || n_seeds < CROSSING_LEAST) {
		return false;
	}
	double p = (double)n_prompts, s = (double)n_seeds;
	double left = fmax(0, of_cells - of_prompts / s - of_seeds / p);
	double rest = left * p * s / ((p - 1) * (s - 1));
	ret->seeds = n_seeds;
	ret->error = sqrt(fmax(0, of_seeds * s / (s - 1) - rest));
	ret->reach = distribution_student_quantile(0.975, s - 1) * ret->error;
	return true;
}
