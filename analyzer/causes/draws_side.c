#include "analyzer/causes/draws_side.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static bool is_within(double value, const struct interval *i)
{
	return value >= i->low && value <= i->high;
}

/* Whether the group may have a cut at this value: no draw beyond it is known. */
static bool allows_cut(const struct draws_cut_found *c, double at, bool is_share)
{
	return isnan(c->wider) || (is_share ? c->wider > at : c->wider < at);
}

/* Whether the group may sample in the way that was found in the other one. */
static bool allows(
        const struct draws_group *g, const struct draws_group *found, enum draws_finding f)
{
	const struct draws_findings *own = &g->found, *of = &found->found;
	size_t cut = f == DRAWS_FINDING_TOP_K   ? DRAWS_CUT_TOP_K
	             : f == DRAWS_FINDING_TOP_P ? DRAWS_CUT_TOP_P
	                                        : DRAWS_CUT_MIN_P;
	if (g->answers == 0) {
		return false;
	}
	switch (f) {
	case DRAWS_FINDING_TEMPERATURE:
		return is_within(of->temperature.ratio, &own->temperature.ci);
	case DRAWS_FINDING_PENALTY:
		return is_within(of->penalty.shift, &own->penalty.ci) ||
		       draws_finding_is_there(g, f);
	case DRAWS_FINDING_TOP_K:
	case DRAWS_FINDING_TOP_P:
	case DRAWS_FINDING_MIN_P:
		return allows_cut(&own->cuts[cut], of->cuts[cut].at, f == DRAWS_FINDING_MIN_P);
	case DRAWS_FINDING_REPEATS:
		return own->repeats.identical > 0;
	default:
		return draws_finding_is_there(g, f);
	}
}

const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f)
{
	const struct draws_group *found = NULL;
	bool is_one = strcmp(side, other) == 0;
	for (size_t i = 0; d && i < d->n_groups && !found; i++) {
		const struct draws_group *g = &d->groups[i];
		found = strcmp(g->backend, side) == 0 && draws_finding_is_there(g, f) ? g : NULL;
	}
	for (size_t i = 0; found && !is_one && i < d->n_groups; i++) {
		const struct draws_group *g = &d->groups[i];
		if (strcmp(g->backend, other) == 0 && allows(g, found, f)) {
			return NULL;
		}
	}
	return found;
}

char *draws_side_phrase(const struct draws_group *g, enum draws_finding f)
{
	const struct draws_findings *of = &g->found;
	const struct draws_temperature *t = &of->temperature;
	switch (f) {
	case DRAWS_FINDING_TEMPERATURE:
		return isnan(t->asked) ? xasprintf("%.2f times the temperature that was asked for",
		                                 t->ratio)
		                       : xasprintf("a temperature of %.2f that was not requested",
		                                 t->ratio * t->asked);
	case DRAWS_FINDING_PENALTY:
		return xasprintf("a %spenalty of about %.1f nats that was not requested",
		        of->penalty.kind == DRAWS_REPETITION  ? "repetition "
		        : of->penalty.kind == DRAWS_PRESENCE  ? "presence "
		        : of->penalty.kind == DRAWS_FREQUENCY ? "frequency "
		                                              : "",
		        of->penalty.shift);
	case DRAWS_FINDING_TOP_K:
		return xasprintf("a top_k of at most %.4g that was not requested",
		        of->cuts[DRAWS_CUT_TOP_K].at);
	case DRAWS_FINDING_TOP_P:
		return xasprintf("a top_p of at most %.4g that was not requested",
		        of->cuts[DRAWS_CUT_TOP_P].at);
	case DRAWS_FINDING_MIN_P:
		return xasprintf("a min_p of at least %.4g that was not requested",
		        of->cuts[DRAWS_CUT_MIN_P].at);
	case DRAWS_FINDING_FILTERED:
		return xstrdup("lists cut short by a top_k, top_p or min_p that was not requested");
	case DRAWS_FINDING_REPEATS:
		return xstrdup("answers that are given again");
	default:
		return xstrdup("draws that do not follow the stated probabilities");
	}
}
