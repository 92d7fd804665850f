#include "replay/outlet.h"

#include <criterion/criterion.h>

static void note(struct outlet *o, unsigned n, bool unsent)
{
	for (unsigned i = 0; i < n; i++) {
		outlet_send_ended(o, unsent);
	}
}

Test(outlet, a_target_is_gone_after_sixteen_in_a_row_that_could_not_be_sent)
{
	struct outlet o = {0};
	note(&o, 15, true);
	cr_expect(!outlet_is_gone(&o));
	note(&o, 1, true);
	cr_expect(outlet_is_gone(&o));
}

Test(outlet, one_answer_between_and_it_is_still_there)
{
	struct outlet o = {0};
	note(&o, 15, true);
	note(&o, 1, false);
	note(&o, 15, true);
	cr_expect(!outlet_is_gone(&o));
}
