#include "analyzer/fold/excess.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/fold/facet.h"
#include "rounds.h"

static uint64_t state;

static double unit(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) * 0x1p-53;
}

static const uint8_t *key_of(uint64_t number)
{
	static uint8_t key[CLUSTERS_KEY_SIZE];
	memcpy(key, &number, sizeof(number));
	memcpy(key + 8, &number, sizeof(number));
	return key;
}

/* An answer of 50 tokens that differs at some token with that probability. */
static struct pair_facts answer(double chance)
{
	bool parts = unit() < chance;
	return (struct pair_facts){
	        .differ = parts,
	        .decided = true,
	        .changed = parts && unit() < 0.5,
	        .at_risk = 50,
	        .tokens_differ = parts,
	        .tops = 50,
	        .tops_equal = 50 - parts,
	};
}

static void fill(struct excess *b, size_t n, double trial, double base, double test)
{
	for (uint64_t i = 0; i < n; i++) {
		struct pair_facts facts = answer(trial);
		excess_add(b, key_of(i), EXCESS_BETWEEN, &facts);
		if (base >= 0) {
			facts = answer(base);
			excess_add(b, key_of(i), EXCESS_OF_BASE, &facts);
		}
		if (test >= 0) {
			facts = answer(test);
			excess_add(b, key_of(i), EXCESS_OF_TEST, &facts);
		}
	}
}

Test(excess, a_thousand_captures_of_noise_raise_at_most_ten_alarms)
{
	int alarms = 0;
	state = 3;
	for (int i = 0; i < ROUNDS(1000); i++) {
		struct excess b = {0};
		struct excess_verdict v[N_EXCESSES];
		double rate = i % 2 ? 0.2 : 0.02;
		fill(&b, 150, rate, rate, rate);
		excess_judge(&b, NULL, v);
		for (size_t f = 0; f < N_EXCESSES; f++) {
			alarms += v[f].alarm;
		}
		excess_finish(&b);
	}
	cr_assert_leq(alarms, ROUNDS(10), "%d", alarms);
}

Test(excess, an_excess_over_both_floors_is_found_and_covered)
{
	int alarms = 0, covered = 0;
	state = 4;
	for (int i = 0; i < 200; i++) {
		struct excess b = {0};
		struct excess_verdict v[N_EXCESSES];
		fill(&b, 300, 0.3, 0.1, 0.1);
		excess_judge(&b, NULL, v);
		cr_assert_eq(excess_ground(&b), EXCESS_GROUND_BOTH);
		alarms += v[EXCESS_DIFFER].alarm;
		const struct interval *ci = &v[EXCESS_DIFFER].excess.ci;
		covered += ci->low <= 0.2 && 0.2 <= ci->high;
		excess_finish(&b);
	}
	cr_assert_geq(alarms, 190, "%d", alarms);
	cr_assert_geq(covered, 180, "%d", covered);
}

/* The same so many times: the first `of` answers of a kind differ. */
static void add_counts(struct excess *b, enum excess_pair pair, int n, int differ, int prompts)
{
	for (int i = 0; i < n; i++) {
		struct pair_facts facts = answer(0);
		facts.differ = i < differ;
		excess_add(b, key_of(i % prompts), pair, &facts);
	}
}

Test(excess, what_too_few_prompts_show_is_not_called_noise)
{
	struct excess b = {0};
	struct excess_verdict v[N_EXCESSES];
	add_counts(&b, EXCESS_BETWEEN, 400, 400, 8);
	add_counts(&b, EXCESS_OF_BASE, 400, 0, 8);
	add_counts(&b, EXCESS_OF_TEST, 400, 0, 8);
	excess_judge(&b, NULL, v);
	cr_assert_eq(excess_finding(&b, v), EXCESS_UNDECIDED);
	excess_finish(&b);
}

Test(excess, an_excess_that_matters_is_ruled_out_by_many_answers_alone)
{
	struct excess b = {0};
	struct excess_verdict v[N_EXCESSES];
	add_counts(&b, EXCESS_BETWEEN, 10000, 200, 10000);
	add_counts(&b, EXCESS_OF_BASE, 10000, 200, 10000);
	add_counts(&b, EXCESS_OF_TEST, 10000, 200, 10000);
	excess_judge(&b, NULL, v);
	cr_assert_eq(excess_finding(&b, v), EXCESS_WITHIN);
	excess_finish(&b);
}

Test(excess, a_small_floor_in_which_nothing_happened_raises_no_alarm)
{
	struct excess b = {0};
	struct excess_verdict v[N_EXCESSES];
	add_counts(&b, EXCESS_BETWEEN, 2000, 20, 2000);
	add_counts(&b, EXCESS_OF_BASE, 100, 0, 100);
	add_counts(&b, EXCESS_OF_TEST, 2000, 20, 2000);
	excess_judge(&b, NULL, v);
	cr_assert_not(v[EXCESS_DIFFER].alarm);
	excess_finish(&b);
}

Test(excess, with_one_floor_or_none_the_ground_says_so)
{
	struct excess none = {0}, one = {0};
	struct excess_verdict v[N_EXCESSES];
	fill(&none, 100, 0.5, -1, -1);
	excess_judge(&none, NULL, v);
	cr_assert_eq(excess_ground(&none), EXCESS_GROUND_NONE);
	cr_assert(isnan(v[EXCESS_DIFFER].excess.value) && !v[EXCESS_DIFFER].alarm);
	fill(&one, 100, 0.5, 0.1, -1);
	excess_judge(&one, NULL, v);
	cr_assert_eq(excess_ground(&one), EXCESS_GROUND_BASE);
	cr_assert_float_eq(v[EXCESS_DIFFER].excess.value,
	        v[EXCESS_DIFFER].by[EXCESS_BETWEEN].value -
	                v[EXCESS_DIFFER].by[EXCESS_OF_BASE].value,
	        1e-12);
	cr_assert(v[EXCESS_DIFFER].alarm);
	excess_finish(&none);
	excess_finish(&one);
}

Test(excess, a_handful_of_events_is_no_alarm_however_sure_the_normal_is)
{
	struct excess b = {0};
	struct excess_verdict v[N_EXCESSES];
	for (uint64_t i = 0; i < 5; i++) {
		struct pair_facts differs = {.differ = true}, same = {0};
		excess_add(&b, key_of(i), EXCESS_BETWEEN, &differs);
		excess_add(&b, key_of(i), EXCESS_OF_BASE, &same);
		excess_add(&b, key_of(i), EXCESS_OF_TEST, &same);
	}
	excess_judge(&b, NULL, v);
	cr_assert_eq(v[EXCESS_DIFFER].excess.value, 1);
	cr_assert_not(v[EXCESS_DIFFER].alarm);
	excess_finish(&b);
}

Test(facet, values_sort_and_tell_trend_and_cliff)
{
	struct facets a = {0};
	state = 9;
	static const double RATES[] = {0.15, 0.16, 0.6};
	for (uint64_t i = 0; i < 900; i++) {
		int level = (int)(i % 3);
		char name[16];
		snprintf(name, sizeof(name), "%d", 1 << level);
		struct pair_facts facts = answer(RATES[level]);
		facets_add(&a, FACET_LOAD, name, 1 << level, (struct facet_source){key_of(i), NULL},
		        &facts);
	}
	facets_settle(&a);
	cr_assert_eq(a.of[FACET_LOAD].n, 3);
	cr_assert_str_eq(a.of[FACET_LOAD].items[2].name, "4");
	cr_assert_eq(a.of[FACET_LOAD].items[0].pairs + a.of[FACET_LOAD].items[1].pairs +
	                     a.of[FACET_LOAD].items[2].pairs,
	        900);
	double z;
	cr_assert_lt(facets_trend(&a, FACET_LOAD, &z), 1e-6);
	cr_assert_gt(z, 0);
	cr_assert_str_eq(facets_cliff(&a, FACET_LOAD)->name, "4");
	const struct estimate *e = a.of[FACET_LOAD].items[2].values;
	cr_assert(e[FACET_DIFFER].ci.low < 0.6 && e[FACET_DIFFER].ci.high > 0.6);
	facets_finish(&a);
}

Test(facet, seeds_that_are_crossed_with_prompts_widen_intervals_and_are_counted)
{
	struct facets with = {0}, without = {0};
	for (uint64_t i = 0; i < 20; i++) {
		for (int64_t seed = 0; seed < 8; seed++) {
			/* What differs is a matter of the seed. */
			struct pair_facts facts = {.differ = seed % 2 == 0};
			facets_add(&with, FACET_SUITE, "s", NAN,
			        (struct facet_source){key_of(i), &seed}, &facts);
			facets_add(&without, FACET_SUITE, "s", NAN,
			        (struct facet_source){key_of(i), NULL}, &facts);
		}
	}
	facets_settle(&with);
	facets_settle(&without);
	const struct estimate *one = with.of[FACET_SUITE].items[0].values,
	                      *other = without.of[FACET_SUITE].items[0].values;
	cr_assert_eq(with.of[FACET_SUITE].items[0].seeds, 8);
	cr_assert_eq(without.of[FACET_SUITE].items[0].seeds, 0);
	cr_assert_eq(one[FACET_DIFFER].value, 0.5);
	cr_assert_eq(other[FACET_DIFFER].value, 0.5);
	cr_assert_lt(one[FACET_DIFFER].ci.low, other[FACET_DIFFER].ci.low - 0.1);
	cr_assert_gt(one[FACET_DIFFER].ci.high, other[FACET_DIFFER].ci.high + 0.1);
	cr_assert(one[FACET_DIFFER].ci.low >= 0 && one[FACET_DIFFER].ci.high <= 1);
	facets_finish(&with);
	facets_finish(&without);
}

Test(facet, there_is_no_room_without_end)
{
	struct facets f = {0};
	struct pair_facts facts = {0};
	for (int i = 0; i < FACET_VALUES + 5; i++) {
		char name[16];
		snprintf(name, sizeof(name), "m\033%d", i);
		facets_add(
		        &f, FACET_MODEL, name, NAN, (struct facet_source){key_of(1), NULL}, &facts);
	}
	cr_assert_eq(f.of[FACET_MODEL].n, FACET_VALUES);
	cr_assert_eq(f.of[FACET_MODEL].beyond, 5);
	cr_assert_str_eq(f.of[FACET_MODEL].items[0].name, "m?0", "it goes to a terminal");
	facets_finish(&f);
}

/* So many of 200 prompts changed, and so many more are undecided. */
static void add_meanings(
        struct excess *b, enum excess_pair pair, uint64_t changed, uint64_t undecided)
{
	for (uint64_t i = 0; i < 200; i++) {
		struct pair_facts facts = {
		        .differ = i < changed + undecided,
		        .decided = i < changed || i >= changed + undecided,
		        .changed = i < changed,
		};
		excess_add(b, key_of(i), pair, &facts);
	}
}

Test(excess, what_is_undecided_on_either_side_may_be_all_of_an_excess_or_none)
{
	struct excess open = {0}, decided = {0};
	struct excess_verdict v[N_EXCESSES];
	add_meanings(&open, EXCESS_BETWEEN, 60, 40);
	add_meanings(&open, EXCESS_OF_BASE, 10, 70);
	excess_judge(&open, NULL, v);
	const struct excess_verdict *changed = &v[EXCESS_ANSWER_CHANGED];
	cr_expect_float_eq(changed->by[EXCESS_BETWEEN].value, 0.30, 1e-9);
	cr_expect_float_eq(changed->by_most[EXCESS_BETWEEN].value, 0.50, 1e-9);
	cr_expect_float_eq(changed->excess.value, 0.30 - 0.40, 1e-9);
	cr_expect_float_eq(changed->excess_most.value, 0.50 - 0.05, 1e-9);
	cr_expect_eq(changed->p, 1);
	cr_expect_not(changed->alarm);
	add_meanings(&decided, EXCESS_BETWEEN, 60, 40);
	add_meanings(&decided, EXCESS_OF_BASE, 10, 0);
	excess_judge(&decided, NULL, v);
	cr_expect_float_eq(changed->excess.value, 0.25, 1e-9);
	cr_expect(changed->alarm, "60 of 200 against 10, whatever the 40 are");
	excess_finish(&open);
	excess_finish(&decided);
}
