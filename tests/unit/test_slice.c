#include "analyzer/rows/slice.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct leg_row leg_of(const char *replica, const char *fingerprint)
{
	return (struct leg_row){
	        .backend = (char *)"prod",
	        .replica = (char *)replica,
	        .fingerprint = (char *)fingerprint,
	};
}

Test(slice, without_a_wish_legs_go_by_their_backend)
{
	struct slices s = {0};
	struct leg_row leg = leg_of("pod", "fp");
	cr_assert_str_eq(slices_name(&s, NULL, &leg), "prod");
	slices_finish(&s);
}

Test(slice, a_replica_is_the_header_s_else_the_fingerprint_s)
{
	struct slices s = {.by = SLICE_REPLICA};
	struct leg_row a = leg_of("pod-1", "fp"), b = leg_of(NULL, "fp"), c = leg_of(NULL, NULL);
	struct leg_row d = leg_of("\x1b[31m", NULL);
	cr_assert_str_eq(slices_name(&s, NULL, &a), "prod [pod-1]");
	cr_assert_str_eq(slices_name(&s, NULL, &b), "prod [fp]");
	cr_assert_str_eq(slices_name(&s, NULL, &c), "prod [unknown replica]");
	cr_assert_str_eq(slices_name(&s, NULL, &d), "prod [?[31m, #dcce2a6c]");
	cr_assert_str_eq(slices_name(&s, NULL, &a), "prod [pod-1]");
	cr_assert_eq(s.n, 4);
	slices_finish(&s);
}

Test(slice, names_are_bounded)
{
	struct slices s = {.by = SLICE_REPLICA};
	for (int i = 0; i < SLICES_LIMIT + 10; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", i);
		struct leg_row leg = leg_of(name, NULL);
		cr_assert_not_null(slices_name(&s, NULL, &leg));
	}
	slices_trim(&s);
	cr_assert_eq(s.n, 0);
	struct leg_row late = leg_of("late", NULL);
	cr_assert_str_eq(slices_name(&s, NULL, &late), "prod [late]");
	slices_trim(&s);
	cr_assert_eq(s.n, 1);
	slices_finish(&s);
}
