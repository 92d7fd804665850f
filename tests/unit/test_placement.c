#include "analyzer/compare/meaning/placement.h"

#include <criterion/criterion.h>

#include "tests/unit/readings.h"

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
	p = of(197, PLACEMENT_USUAL_LEAST);
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
	p.n[REASONING_FIELD][REASONING_NONE] = 4; /* some answers have no reasoning */
	cr_expect_not(placement_usual_differs(&p));
	p.n[REASONING_FIELD][REASONING_INLINE] = 30;
	cr_expect(placement_usual_differs(&p));
}

Test(placement, an_answer_that_was_nothing_but_a_call_is_normalised_to_an_empty_one)
{
	struct reading *r = read_with(
	        (struct reading_hints){.endpoint = ENDPOINT_CHAT, .status = 200, .has_tools = true},
	        "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"<tool_call>{\\\"name\\\":"
	        "\\\"f\\\","
	        "\\\"arguments\\\":{}}</tool_call>\"},\"finish_reason\":\"stop\"}]}");
	struct choice normalised;
	struct buf answer = {0};
	placement_normalise(&r->choices[0], &normalised);
	choice_answer(&normalised, &answer);
	cr_expect_eq(normalised.n_calls, 1);
	cr_expect_eq(normalised.text.len, 0);
	cr_expect_eq(answer.len, 0);
	buf_finish(&answer);
	placement_finish(&normalised);
	reading_destroy(r);
}
