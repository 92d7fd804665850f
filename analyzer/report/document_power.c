#include "analyzer/report/document_power.h"

#include <inttypes.h>
#include <math.h>

#include "analyzer/power.h"
#include "base/mem.h"

/* Two digits are all that such a number is worth. */
static double rounded(double n)
{
	double unit = n >= 100 ? pow(10, floor(log10(n)) - 1) : 1;
	return ceil(n / unit) * unit;
}

static bool has_alarm(const struct analysis_group *g)
{
	for (size_t f = 0; f < N_BLAMES; f++) {
		if (g->blames[f].alarm) {
			return true;
		}
	}
	return false;
}

char *report_power_sentence(const struct analysis_group *g)
{
	const struct blame_verdict *v = &g->blames[BLAME_DIFFER];
	uint64_t n = g->blame.pairs[BLAME_TRIAL];
	if (g->is_floor || isnan(v->needed) || has_alarm(g) || v->needed <= (double)n) {
		return NULL;
	}
	return xasprintf(
	        "Not enough data to rule out an excess of %.0f %%: it would take about %.0f "
	        "answers, there are %" PRIu64 ".",
	        100 * blame_least(BLAME_DIFFER), rounded(v->needed), n);
}

char *report_short_slices_sentence(const struct analysis_group *g)
{
	const struct facets *all = &g->facets;
	const struct facet *shown = NULL;
	double needs = 0;
	size_t few = 0, told = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct facet *f = &all->items[i];
		/* What all answers have in common is no slice. */
		if (facets_count(all, f->kind) < 2) {
			continue;
		}
		double needed = power_slice_needed(all, f);
		bool is_short = !((double)f->pairs >= needed);
		told++;
		few += is_short;
		if (is_short && !isnan(needed) && (!shown || f->pairs > shown->pairs)) {
			shown = f;
			needs = needed;
		}
	}
	if (few == 0 || !shown) {
		return NULL;
	}
	return xasprintf("Not enough data for %zu of %zu slices: where %s is %s there are %" PRIu64
	                 " answers, to see a difference of %.0f %% it would take about %.0f.",
	        few, told, facet_kind_name(shown->kind), shown->name, shown->pairs,
	        100 * POWER_SLICE_EFFECT, rounded(needs));
}
