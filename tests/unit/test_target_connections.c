#include "replay/target_connections.h"

#include <criterion/criterion.h>

static void note(struct target_connections *o, unsigned n, bool unsent)
{
	for (unsigned i = 0; i < n; i++) {
		target_connections_send_ended(o, unsent);
	}
}

Test(target_connections, a_target_is_gone_after_sixteen_in_a_row_that_could_not_be_sent)
{
	struct target_connections o = {0};
	note(&o, 15, true);
	cr_expect(!target_connections_is_gone(&o));
	note(&o, 1, true);
	cr_expect(target_connections_is_gone(&o));
}

Test(target_connections, one_answer_between_and_it_is_still_there)
{
	struct target_connections o = {0};
	note(&o, 15, true);
	note(&o, 1, false);
	note(&o, 15, true);
	cr_expect(!target_connections_is_gone(&o));
}
