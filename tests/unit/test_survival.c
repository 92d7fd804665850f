#include "analyzer/stats/survival.h"

#include <criterion/criterion.h>

#define STEPS 2

struct steps {
	uint64_t tokens[STEPS], at_risk[STEPS];
	double shares[STEPS];
	size_t n;
};

static void note(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	struct steps *s = arg;
	cr_assert_lt(s->n, STEPS);
	s->tokens[s->n] = tokens;
	s->shares[s->n] = share;
	s->at_risk[s->n++] = at_risk;
}

Test(survival, kaplan_and_meier)
{
	/* Five answers: three differ after 2, 2 and 5 equal tokens, two are equal with 3 and 8. */
	struct survival s = {0};
	struct steps steps = {0};
	survival_add(&s, 2, true);
	survival_add(&s, 2, true);
	survival_add(&s, 3, false);
	survival_add(&s, 5, true);
	survival_add(&s, 8, false);
	survival_steps(&s, note, &steps);
	cr_assert_eq(steps.n, 2);
	cr_assert(steps.tokens[0] == 3 && steps.at_risk[0] == 5);
	cr_assert_float_eq(steps.shares[0], 3.0 / 5, 1e-12);
	cr_assert(steps.tokens[1] == 6 && steps.at_risk[1] == 2);
	cr_assert_float_eq(steps.shares[1], 0.3, 1e-12);
	cr_assert_eq(survival_median(&s), 6);
	survival_finish(&s);
}

Test(survival, what_never_parts_has_no_median)
{
	struct survival s = {0};
	struct steps none = {0};
	survival_add(&s, 100, false);
	survival_steps(&s, note, &none);
	cr_assert_eq(none.n, 0);
	cr_assert_eq(survival_median(&s), UINT64_MAX);
	survival_finish(&s);
}
