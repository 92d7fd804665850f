#include "analyzer/fold/picks.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/fold/charts.h"

static struct pick pick_of(uint32_t i)
{
	struct pick p = {.rank = i % 4 == 0 ? 0 : (uint64_t)(i * 7919 % 1009) + 1,
	        .hash = i * UINT64_C(0x9e3779b97f4a7c15)};
	memcpy(p.exchange.bytes, &i, sizeof(i));
	return p;
}

static void check_same(const struct pick_list *a, const struct pick_list *b)
{
	cr_assert_eq(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		cr_assert(pick_is_same(&a->items[i], &b->items[i]));
	}
}

Test(picks, are_the_same_in_any_order)
{
	struct picks whole = {0}, backwards = {0};
	for (uint32_t i = 0; i < 3000; i++) {
		struct pick p = pick_of(i), back = pick_of(2999 - i);
		picks_consider(&whole, 50, &p);
		picks_consider(&backwards, 50, &back);
	}
	struct picks *all[] = {&whole, &backwards};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		cr_assert_eq(all[i]->worst.n, 50);
		check_same(&all[i]->worst, &whole.worst);
		check_same(&all[i]->random, &whole.random);
	}
	for (size_t i = 1; i < 50; i++) {
		cr_assert_leq(whole.worst.items[i].rank, whole.worst.items[i - 1].rank);
		cr_assert_geq(whole.random.items[i].hash, whole.random.items[i - 1].hash);
	}
	picks_finish(&whole);
	picks_finish(&backwards);
}

Test(picks, equal_answers_are_never_the_worst_and_none_are_picked_when_none_are_wanted)
{
	struct picks some = {0}, none = {0};
	for (uint32_t i = 0; i < 40; i += 4) {
		struct pick p = pick_of(i);
		picks_consider(&some, 5, &p);
		picks_consider(&none, 0, &p);
	}
	cr_assert_eq(some.worst.n, 0);
	cr_assert_eq(some.random.n, 5);
	cr_assert_eq(none.random.n, 0);
	picks_finish(&some);
	picks_finish(&none);
}

Test(picks, what_is_worse)
{
	struct pair_facts near = {.differ = true, .has_first = true, .first = {.shift = 0.1}};
	struct pair_facts far = {.differ = true, .has_first = true, .first = {.shift = 3}};
	struct pair_facts equal = far;
	struct pair_facts unknown = {.differ = true, .has_first = true, .first = {.shift = NAN}};
	equal.differ = false;
	struct meaning changed = {
	        .class = MEANING_ANSWER_CHANGED, .severity = MEANING_SEVERITY_SEVERE};
	struct meaning unsure = {.class = MEANING_UNDECIDED, .severity = MEANING_SEVERITY_SEVERE};
	struct meaning wording = {.class = MEANING_WORDING, .severity = MEANING_SEVERITY_MINOR};
	cr_assert_eq(pick_rank(&equal, &changed, true), 0);
	cr_assert_gt(pick_rank(&near, &changed, true), pick_rank(&far, &unsure, true),
	        "the decided one of two as severe");
	cr_assert_gt(pick_rank(&near, &unsure, true), pick_rank(&far, &wording, true),
	        "meaning before tokens");
	cr_assert_gt(pick_rank(&far, &wording, true), pick_rank(&near, &wording, true));
	cr_assert_gt(pick_rank(&near, &wording, true), pick_rank(&unknown, &wording, true));
	cr_assert_gt(pick_rank(&unknown, &wording, true), pick_rank(&far, &changed, false),
	        "greedy before others");
	struct meaning alike = wording;
	alike.similarity = 0.9F;
	cr_assert_gt(pick_rank(&near, &wording, true), pick_rank(&near, &alike, true));
}

Test(scatter, keeps_the_same_points_in_any_order)
{
	struct scatter whole = {0}, other = {0};
	for (uint32_t i = 0; i < 5000; i++) {
		struct scatter_point p = {.x = (float)i};
		scatter_add(&whole, 4999 - i, (struct scatter_point){.x = (float)(4999 - i)});
		scatter_add(&other, i, p);
	}
	cr_assert_eq(whole.n, 5000);
	cr_assert_eq(other.n, 5000);
	cr_assert_eq(whole.kept, SCATTER_SIZE);
	cr_assert_eq(other.kept, SCATTER_SIZE);
	for (size_t i = 0; i < whole.kept; i++) {
		cr_assert_eq(whole.points[i].x, other.points[i].x);
	}
	scatter_finish(&whole);
	scatter_finish(&other);
}
