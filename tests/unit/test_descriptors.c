#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/descriptors.h"

static void allow(rlim_t now, rlim_t at_most)
{
	const struct rlimit limit = {now, at_most};
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(descriptors, all_that_the_process_may_have_are_taken)
{
	struct rlimit limit;
	allow(48, 64);
	cr_expect_eq(descriptors_raise_limit(), 64);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_eq(limit.rlim_cur, 64);
}

Test(descriptors, too_few_are_told_and_none_is_kept)
{
	allow(64, 64);
	for (int i = 0; i < 3; i++) {
		char *problem = descriptors_require(62); /* at least three descriptors are open */
		cr_assert_not_null(problem);
		cr_expect(strstr(problem, "at least 62 more") && strstr(problem, "limit is 64"),
		        "%s", problem);
		free(problem);
		cr_expect_null(descriptors_require(32));
	}
}
