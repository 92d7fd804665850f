#include "analyzer/meaning/placement.h"

#include <criterion/criterion.h>

static struct placements of(uint64_t alike, uint64_t unlike)
{
	struct placements p = {0};
	p.n[REASONING_NONE][REASONING_NONE] = alike;
	p.n[REASONING_NONE][REASONING_INLINE] = unlike;
	return p;
}

Test(placement, one_answer_of_many_makes_no_rule)
{
	struct placements p = of(199, 1);
	cr_expect_not(placement_usual_differs(&p));
	p = of(197, USUAL_LEAST);
	cr_expect(placement_usual_differs(&p));
}

Test(placement, of_few_pairs_half_make_a_rule)
{
	struct placements p = of(1, 1);
	cr_expect(placement_usual_differs(&p));
	p = of(2, 1);
	cr_expect_not(placement_usual_differs(&p));
}

Test(placement, the_same_place_on_both_sides_is_no_difference)
{
	struct placements p = {0};
	p.n[REASONING_FIELD][REASONING_FIELD] = 10;
	cr_expect_not(placement_usual_differs(&p));
	p.n[REASONING_FIELD][REASONING_NONE] = 4; /* some answer without thinking */
	cr_expect_not(placement_usual_differs(&p));
	p.n[REASONING_FIELD][REASONING_INLINE] = 30;
	cr_expect(placement_usual_differs(&p));
}
