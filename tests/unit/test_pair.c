#include "analyzer/compare/pair.h"

#include <criterion/criterion.h>

#include "base/check.h"

#define ROOM 8 /* one of these exchanges has more legs */

static struct capture_leg leg(const char *backend, enum role role, uint8_t run, uint32_t repeat)
{
	struct capture_leg l = {0};
	l.row.backend = (char *)backend;
	l.row.role = role;
	l.row.run.bytes[0] = run;
	l.row.repeat = repeat;
	return l;
}

static size_t find(
        struct capture_leg *legs, size_t n, const char *base, const char *test, struct pair *ret)
{
	struct capture_exchange e = {.legs = legs, .n_legs = n};
	const struct pair_names names = {{.name = base}, {.name = test}};
	return pair_find(&e, &names, ret);
}

Test(pair, against_a_reference_the_primary_is_on_trial_against_the_primary_a_candidate)
{
	struct capture_leg legs[] = {
	        leg("prod", ROLE_PRIMARY, 1, 0),
	        leg("trusted", ROLE_REFERENCE, 1, 0),
	        leg("next", ROLE_CANDIDATE, 1, 0),
	};
	struct pair p[ROOM];
	cr_assert_eq(find(legs, 3, NULL, NULL, p), 2);
	cr_assert(p[0].base == 1 && p[0].test == 0);
	cr_assert(p[1].base == 0 && p[1].test == 2);
}

Test(pair, without_a_primary_candidates_stand_before_the_reference)
{
	struct capture_leg legs[] = {
	        leg("q4", ROLE_CANDIDATE, 1, 0),
	        leg("full", ROLE_REFERENCE, 1, 0),
	        leg("full", ROLE_REFERENCE, 1, 1),
	        leg("q2", ROLE_CANDIDATE, 1, 1),
	};
	struct pair p[ROOM];
	cr_assert_eq(find(legs, 4, NULL, NULL, p), 2);
	cr_assert(p[0].base == 1 && p[0].test == 0);
	cr_assert(p[1].base == 2 && p[1].test == 3);
}

Test(pair, every_reference_is_a_base_of_its_own)
{
	struct capture_leg legs[] = {
	        leg("a", ROLE_REFERENCE, 1, 0),
	        leg("b", ROLE_REFERENCE, 1, 0),
	        leg("prod", ROLE_PRIMARY, 1, 0),
	};
	struct pair p[ROOM];
	cr_assert_eq(find(legs, 3, NULL, NULL, p), 2);
	cr_assert(p[0].base == 0 && p[0].test == 2);
	cr_assert(p[1].base == 1 && p[1].test == 2);
	cr_assert_eq(find(legs, 3, "a", "b", p), 1);
	cr_assert(p[0].base == 0 && p[0].test == 1);
}

Test(pair, alone_there_is_nothing_to_compare)
{
	struct capture_leg legs[] = {leg("prod", ROLE_PRIMARY, 1, 0)};
	struct pair p[ROOM];
	cr_assert_eq(find(legs, 1, NULL, NULL, p), 0);
	cr_assert_eq(find(legs, 1, "prod", "prod", p), 0);
	cr_assert_eq(find(legs, 0, NULL, NULL, p), 0);
	cr_assert_eq(find(legs, 1, "prod", "other", p), 0);
}

Test(pair, the_same_run_and_repeat_is_preferred)
{
	struct capture_leg legs[] = {
	        leg("prod", ROLE_PRIMARY, 1, 0),
	        leg("prod", ROLE_PRIMARY, 2, 0),
	        leg("trusted", ROLE_REFERENCE, 2, 0),
	        leg("trusted", ROLE_REFERENCE, 3, 0),
	};
	struct pair p[ROOM];
	cr_assert_eq(find(legs, 4, NULL, NULL, p), 2);
	cr_assert(p[0].base == 2 && p[0].test == 1);
	cr_assert(p[1].base == 3 && p[1].test == 0);
}

Test(pair, a_backend_against_itself_pairs_its_repeats)
{
	struct capture_leg legs[] = {
	        leg("trusted", ROLE_REFERENCE, 1, 0),
	        leg("prod", ROLE_PRIMARY, 1, 0),
	        leg("trusted", ROLE_REFERENCE, 1, 1),
	        leg("trusted", ROLE_REFERENCE, 1, 2),
	};
	struct pair p[ROOM];
	cr_assert_eq(find(legs, 4, "trusted", "trusted", p), 2);
	cr_assert(p[0].base == 0 && p[0].test == 2);
	cr_assert(p[1].base == 0 && p[1].test == 3);
}

/* As many as a comparison of three backends with fifty repeats has. */
Test(pair, every_leg_is_paired_however_many_there_are)
{
	static struct capture_leg legs[150];
	static struct pair p[150], floors[150];
	static const char *const names[] = {"a", "b", "c"};
	for (size_t i = 0; i < 150; i++) {
		legs[i] = leg(names[i % 3], i % 3 ? ROLE_CANDIDATE : ROLE_REFERENCE, 1,
		        (uint32_t)(i / 3));
	}
	struct capture_exchange e = {.legs = legs, .n_legs = 150};
	const struct pair_names any = {0};
	size_t n = find(legs, 150, NULL, NULL, p);
	cr_assert_eq(n, 100);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(legs[p[i].base].row.repeat, legs[p[i].test].row.repeat);
	}
	cr_assert_eq(pair_find_floors(&e, &any, p, n, floors), 147);
	cr_assert_eq(find(legs, 150, "a", "a", p), 49);
	cr_assert_eq(find(legs, 150, "a", "b", p), 50);
	for (size_t i = 0; i < 150; i++) {
		legs[i].row.role = i == 0 ? ROLE_PRIMARY : ROLE_REFERENCE;
	}
	cr_assert_eq(find(legs, 150, NULL, NULL, p), 149, "each reference is a base");
}

static struct capture_leg leg_at(const char *backend, const char *url, enum role role, uint8_t run)
{
	struct capture_leg l = leg(backend, role, run, 0);
	l.row.url = (char *)url;
	return l;
}

Test(pair, floors_are_of_one_engine_within_one_run_whichever_leg_ended_first)
{
	struct capture_leg legs[] = {
	        leg_at("trusted-2", "http://b", ROLE_REFERENCE, 1),
	        leg_at("prod", "http://a", ROLE_PRIMARY, 1),
	        leg_at("trusted", "http://b", ROLE_REFERENCE, 1),
	        leg_at("trusted", "http://b", ROLE_REFERENCE, 2),
	        leg_at("prod-2", "http://a", ROLE_REFERENCE, 1),
	};
	struct capture_exchange e = {.legs = legs, .n_legs = ARRAY_LEN(legs)};
	struct pair trials[ROOM], p[ROOM];
	const struct pair_names any = {0}, prod = {{.name = "prod"}, {.name = "prod-2"}};
	const struct pair_names trusted = {{.name = "trusted"}, {.name = "trusted-2"}};
	size_t n = pair_find(&e, &any, trials);
	cr_assert_eq(pair_find_floors(&e, &any, trials, n, p), 1);
	cr_assert(p[0].base == 2 && p[0].test == 0, "by name; the primary's is a trial already");
	cr_assert_eq(pair_find_floors(&e, &any, NULL, 0, p), 2);
	cr_assert(p[1].base == 1 && p[1].test == 4);
	cr_assert_eq(pair_find_floors(&e, &prod, NULL, 0, p), 1);
	legs[0].row.marks = LEG_SCORED;
	cr_assert_eq(pair_find_floors(&e, &trusted, NULL, 0, p), 0);
}

static struct id run(uint8_t n)
{
	return (struct id){.bytes = {n}};
}

static size_t find_runs(struct capture_leg *legs, size_t n, struct pair_side base,
        struct pair_side test, struct pair *ret)
{
	struct capture_exchange e = {.legs = legs, .n_legs = n};
	const struct pair_names names = {base, test};
	return pair_find(&e, &names, ret);
}

Test(pair, runs_of_one_backend_meet_repeat_by_repeat)
{
	struct capture_leg legs[] = {
	        leg("new", ROLE_CANDIDATE, 1, 0),
	        leg("new", ROLE_CANDIDATE, 1, 1),
	        leg("new", ROLE_CANDIDATE, 2, 1),
	        leg("new", ROLE_CANDIDATE, 2, 0),
	        leg("new", ROLE_CANDIDATE, 3, 0),
	};
	struct pair p[ROOM];
	cr_assert_eq(find_runs(legs, 5, (struct pair_side){"new", run(1)},
	                     (struct pair_side){"new", run(2)}, p),
	        2);
	cr_assert(p[0].base == 1 && p[0].test == 2);
	cr_assert(p[1].base == 0 && p[1].test == 3);
	cr_assert_eq(find_runs(legs, 5, (struct pair_side){"new", run(1)},
	                     (struct pair_side){"new", run(9)}, p),
	        0);
}

Test(pair, a_run_named_on_one_side_meets_all_others)
{
	struct capture_leg legs[] = {
	        leg("new", ROLE_CANDIDATE, 1, 0),
	        leg("new", ROLE_CANDIDATE, 2, 0),
	        leg("new", ROLE_CANDIDATE, 3, 0),
	};
	struct pair p[ROOM];
	cr_assert_eq(find_runs(legs, 3, (struct pair_side){"new", run(2)},
	                     (struct pair_side){"new", {{0}}}, p),
	        2);
	cr_assert(p[0].base == 1 && p[0].test == 0);
	cr_assert(p[1].base == 1 && p[1].test == 2);
}

Test(pair, a_run_of_one_backend_is_held_against_one_of_another)
{
	struct capture_leg legs[] = {
	        leg("old", ROLE_PRIMARY, 1, 0),
	        leg("old", ROLE_PRIMARY, 2, 0),
	        leg("new", ROLE_CANDIDATE, 2, 0),
	        leg("new", ROLE_CANDIDATE, 3, 0),
	};
	struct pair p[ROOM];
	cr_assert_eq(find_runs(legs, 4, (struct pair_side){"old", run(1)},
	                     (struct pair_side){"new", run(3)}, p),
	        1);
	cr_assert(p[0].base == 0 && p[0].test == 3);
}

Test(pair, two_runs_that_were_asked_for_are_a_trial_and_no_floor)
{
	struct capture_leg a = leg("new", ROLE_CANDIDATE, 1, 0),
	                   b = leg("new", ROLE_CANDIDATE, 2, 0);
	const struct pair_names any = {0}, named = {{.name = "new"}, {.name = "new"}};
	const struct pair_names runs = {{"new", run(1)}, {"new", run(2)}};
	cr_assert(pair_is_floor(&any, &a.row, &b.row));
	cr_assert(pair_is_floor(&named, &a.row, &b.row));
	cr_assert(!pair_is_floor(&runs, &a.row, &b.row));
	cr_assert(pair_is_floor(&runs, &a.row, &a.row), "repeats of one run stay a floor");
}

Test(pair, models_tell_engines_at_one_address_apart)
{
	struct capture_leg a = leg_at("q8", "http://a", ROLE_REFERENCE, 1),
	                   b = leg_at("q4", "http://a", ROLE_REFERENCE, 1);
	const struct pair_names any = {0};
	a.row.model = (char *)"m";
	cr_assert(pair_is_floor(&any, &a.row, &b.row), "a failed answer states no model");
	b.row.model = (char *)"m-q4";
	cr_assert(!pair_is_floor(&any, &a.row, &b.row));
	b.row.marks = LEG_SCORED;
	cr_assert(pair_is_of_one_engine(&any, &a.row, &b.row));
}

Test(pair, labels_tell_engines_at_one_address_apart)
{
	struct capture_leg legs[] = {
	        leg_at("q8", "http://a", ROLE_REFERENCE, 1),
	        leg_at("q4", "http://a", ROLE_CANDIDATE, 1),
	        leg_at("q4", "http://a", ROLE_CANDIDATE, 1),
	};
	struct capture_exchange e = {.legs = legs, .n_legs = ARRAY_LEN(legs)};
	const struct pair_names by_url = {0}, by_name = {.by_name = true};
	struct pair trials[ROOM], p[ROOM];
	size_t n = pair_find(&e, &by_name, trials);
	cr_assert_eq(n, 2, "each of q4's answers stands before q8's");
	cr_assert(pair_is_floor(&by_url, &legs[0].row, &legs[1].row));
	cr_assert(!pair_is_floor(&by_name, &legs[0].row, &legs[1].row));
	cr_assert_eq(pair_find_floors(&e, &by_name, trials, n, p), 1);
	cr_assert(p[0].base == 1 && p[0].test == 2, "q4 and its repeat");
}
