#include "analyzer/compare/tokens/opening.h"

#include <math.h>

#include "analyzer/compare/tokens/position.h"
#include "base/enum_names.h"

ENUM_NAMES(opening_name, enum opening_figure, "kl_low", "tv_low", "tv_high", "js_low", "js_high",
        "missing_mass", "same_top");

bool opening_compare(const struct choice *base, const struct choice *test, double ret[N_OPENINGS])
{
	struct position p;
	struct bounds bounds;
	if (!base->has_columns || !test->has_columns || base->columns.n == 0 ||
	        test->columns.n == 0) {
		return false;
	}
	struct listing b = listing_at(&base->columns, 0), t = listing_at(&test->columns, 0);
	position_read(&b, &t, &p);
	if (position_is_bare(&p)) {
		return false;
	}
	position_bounds(&p, listing_rounding(&base->columns, &test->columns), &bounds);
	bool tops = p.best_base != POSITION_NONE && p.best_test != POSITION_NONE;
	ret[OPENING_KL_LOW] = bounds.kl_low;
	ret[OPENING_TV_LOW] = bounds.tv_low;
	ret[OPENING_TV_HIGH] = bounds.tv_high;
	ret[OPENING_JS_LOW] = bounds.js_low;
	ret[OPENING_JS_HIGH] = bounds.js_high;
	ret[OPENING_MISSING_MASS] = (bounds.p_hidden + bounds.r_hidden) / 2;
	ret[OPENING_SAME_TOP] = tops ? p.best_base == p.best_test : NAN;
	return true;
}
