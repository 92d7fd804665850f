#include "analyzer/stats/survival.h"

#include <math.h>

#include <criterion/criterion.h>

Test(survival, kaplan_and_meier)
{
	/* Five answers: parting after 2, 2 and 5 equal tokens, whole at 3 and 8. */
	struct survival s = {0};
	cr_assert(isnan(survival_share(&s, 0)));
	survival_add(&s, 2, true);
	survival_add(&s, 2, true);
	survival_add(&s, 3, false);
	survival_add(&s, 5, true);
	survival_add(&s, 8, false);
	cr_assert_eq(survival_share(&s, 0), 1);
	cr_assert_eq(survival_share(&s, 2), 1);
	cr_assert_float_eq(survival_share(&s, 3), 3.0 / 5, 1e-12);
	cr_assert_float_eq(survival_share(&s, 5), 3.0 / 5, 1e-12);
	cr_assert_float_eq(survival_share(&s, 6), 3.0 / 5 * 1 / 2, 1e-12);
	cr_assert_float_eq(survival_share(&s, 8), 0.3, 1e-12);
	cr_assert(isnan(survival_share(&s, 9)), "nobody got so far");
	cr_assert_eq(survival_median(&s), 6);
	survival_finish(&s);
}

Test(survival, what_never_parts_has_no_median)
{
	struct survival s = {0};
	survival_add(&s, 100, false);
	cr_assert_eq(survival_share(&s, 100), 1);
	cr_assert_eq(survival_median(&s), UINT64_MAX);
	survival_finish(&s);
}
