#include "replay/cancel.h"

#include <criterion/criterion.h>

Test(cancel, a_share_alone_cancels_streams_by_pieces_and_others_by_time)
{
	struct cancel c;
	cr_assert(cancel_parse("5%", &c));
	cr_assert_float_eq(c.share, 0.05, 1e-12);
	cr_assert(c.pieces == 16 && c.after == 1000000000 && c.streams_by_pieces);
}

Test(cancel, the_moment_can_be_a_number_of_tokens_or_a_time)
{
	struct cancel c;
	cr_assert(cancel_parse("0.5@tokens:40", &c));
	cr_assert(c.share == 0.5 && c.pieces == 40 && c.after == 0);
	cr_assert(cancel_parse("100%@after:250ms", &c));
	cr_assert(c.share == 1 && c.pieces == 0 && c.after == 250000000);
}

Test(cancel, what_has_no_such_form_is_refused_and_nothing_is_written)
{
	static const char *const BAD[] = {"", "0", "120%", "5%@", "5%@tokens:", "5%@tokens:0",
	        "5%@tokens:-1", "5%@after:5", "5%@when:5s", "5%@tokens:4x"};
	struct cancel c = {.share = 7};
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		cr_expect_not(cancel_parse(BAD[i], &c), "%s", BAD[i]);
	}
	cr_assert_eq(c.share, 7);
}

Test(cancel, about_the_share_is_taken_and_the_same_for_the_same_seed)
{
	struct cancel c = {.share = 0.2};
	unsigned n = 0, others = 0;
	for (uint32_t i = 0; i < 10000; i++) {
		n += cancel_selects(&c, 5, i);
		others += cancel_selects(&c, 5, i) != cancel_selects(&c, 6, i);
		cr_assert_eq(cancel_selects(&c, 5, i), cancel_selects(&c, 5, i));
	}
	cr_assert(n > 1850 && n < 2150, "%u", n);
	cr_assert_gt(others, 2500);
}

Test(cancel, without_a_share_none_is)
{
	struct cancel c = {0};
	cr_assert_not(cancel_selects(&c, 0, 0));
}
