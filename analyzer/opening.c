#include "analyzer/opening.h"

#include <math.h>

#include "analyzer/compare/tokens/position.h"
#include "base/check.h"

const char *opening_name(enum opening_figure f)
{
	static const char *const NAMES[] = {
	        "kl_low", "tv_low", "tv_high", "js_low", "js_high", "missing_mass", "same_top"};
	expect(f < N_OPENINGS);
	return NAMES[f];
}

static void add_position(struct openings *o, uint32_t row, const struct position *p)
{
	struct bounds b;
	position_bounds(p, &b);
	const double values[] = {
	        [OPENING_KL_LOW] = b.kl_low,
	        [OPENING_TV_LOW] = b.tv_low,
	        [OPENING_TV_HIGH] = b.tv_high,
	        [OPENING_JS_LOW] = b.js_low,
	        [OPENING_JS_HIGH] = b.js_high,
	        [OPENING_HIDDEN] = (b.p_hidden + b.r_hidden) / 2,
	};
	for (size_t f = 0; f < ARRAY_LEN(values); f++) {
		if (!isnan(values[f])) {
			clusters_add(o->clusters, row, f, values[f], 1);
		}
	}
	if (p->best_base != POSITION_NONE && p->best_test != POSITION_NONE) {
		clusters_add(o->clusters, row, OPENING_SAME_TOP, p->best_base == p->best_test, 1);
	}
}

void openings_add(struct openings *o, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct choice *base, const struct choice *test)
{
	struct position p;
	if (!base->has_columns || !test->has_columns || base->columns.n == 0 ||
	        test->columns.n == 0) {
		return;
	}
	struct listing b = listing_at(&base->columns, 0), t = listing_at(&test->columns, 0);
	position_read(&b, &t, &p);
	if (position_is_bare(&p)) {
		return;
	}
	if (!o->clusters) {
		o->clusters = clusters_create(N_OPENINGS);
	}
	o->n++;
	add_position(o, clusters_row(o->clusters, cluster), &p);
}

void openings_merge(struct openings *o, const struct openings *other)
{
	if (!other->clusters) {
		return;
	}
	if (!o->clusters) {
		o->clusters = clusters_create(N_OPENINGS);
	}
	clusters_merge(o->clusters, other->clusters);
	o->n += other->n;
}

void openings_settle(struct openings *o)
{
	if (o->clusters) {
		clusters_estimate_each(o->clusters, o->values);
		clusters_estimate_rate(o->clusters, OPENING_SAME_TOP, &o->values[OPENING_SAME_TOP]);
	}
}

void openings_finish(struct openings *o)
{
	clusters_destroy(o->clusters);
	*o = (struct openings){0};
}
