#include "analyzer/fold/power.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/fold/excess.h"

static uint64_t state = 1;

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

Test(power, it_is_the_textbook_number)
{
	/* For a mean with unit variance: (1.959964 + 0.841621)^2 / 0.1^2 = 784.9. */
	cr_assert_eq(power_needed(100, 0.1, 0.1, 0.05), 785);
	cr_assert_eq(power_needed(400, 0.05, 0.1, 0.05), 785, "however many there were");
	cr_assert_eq(power_needed(100, 0.1, 0.2, 0.05), 197);
	cr_assert(isnan(power_needed(100, NAN, 0.1, 0.05)));
}

static void fill(struct excess *b, size_t n, double trial, double floor)
{
	for (uint64_t i = 0; i < n; i++) {
		struct pair_facts facts = {.differ = unit() < trial};
		excess_add(b, key_of(i), EXCESS_BETWEEN, &facts);
		facts.differ = unit() < floor;
		excess_add(b, key_of(i), EXCESS_OF_BASE, &facts);
		facts.differ = unit() < floor;
		excess_add(b, key_of(i), EXCESS_OF_TEST, &facts);
	}
}

/* The promise of the number: with so many answers the effect is found in four of five captures. */
Test(power, with_as_many_as_it_says_the_least_effect_is_found_four_times_of_five)
{
	struct excess pilot = {0};
	struct excess_verdict v[N_EXCESSES];
	double least = least_effect_default(EXCESS_DIFFER);
	fill(&pilot, 2000, 0.05 + least, 0.05);
	excess_judge(&pilot, NULL, v);
	double needed = v[EXCESS_DIFFER].needed;
	excess_finish(&pilot);
	cr_assert(needed > 1000 && needed < 10000, "%g", needed);
	int found = 0;
	enum { CAPTURES = 100 };
	for (int i = 0; i < CAPTURES; i++) {
		struct excess b = {0};
		fill(&b, (size_t)needed, 0.05 + least, 0.05);
		excess_judge(&b, NULL, v);
		found += v[EXCESS_DIFFER].alarm;
		excess_finish(&b);
	}
	cr_assert(found >= 68 && found <= 92, "%d of %d", found, CAPTURES);
}

Test(power, without_a_floor_no_number_would_do_and_without_events_some_would)
{
	struct excess b = {0};
	struct excess_verdict v[N_EXCESSES];
	struct pair_facts same = {0};
	excess_add(&b, key_of(1), EXCESS_BETWEEN, &same);
	excess_add(&b, key_of(2), EXCESS_BETWEEN, &same);
	excess_judge(&b, NULL, v);
	cr_assert(isnan(v[EXCESS_DIFFER].needed));
	excess_finish(&b);
	struct excess quiet = {0};
	fill(&quiet, 20, 0, 0);
	excess_judge(&quiet, NULL, v);
	cr_assert(v[EXCESS_DIFFER].needed > 20, "%g", v[EXCESS_DIFFER].needed);
	excess_finish(&quiet);
}

static void slice(struct facets *f, const char *name, size_t n, size_t of_each, double rate)
{
	static uint64_t number;
	for (size_t i = 0; i < n; i += of_each) {
		struct pair_facts facts = {.differ = unit() < rate};
		number++;
		for (size_t k = 0; k < of_each; k++) {
			facets_add(f, FACET_REPLICA, name, NAN,
			        (struct facet_source){key_of(number), NULL}, &facts);
		}
	}
}

static double needs(size_t few, size_t of_each, size_t many)
{
	struct facets f = {0};
	slice(&f, "few", few, of_each, 0.2);
	slice(&f, "many", many, 1, 0.2);
	facets_settle(&f);
	double needed = power_slice_needed(&f, &f.of[FACET_REPLICA].items[0]);
	facets_finish(&f);
	return needed;
}

Test(power, a_slice_is_told_how_many_it_lacks)
{
	/* (2.807 + 0.842)^2 0.16 / 0.05^2 = 852, and more as the others are few themselves. */
	double needed = needs(100, 1, 20000);
	cr_assert(needed > 780 && needed < 1000, "%g", needed);
	cr_assert_gt(needs(100, 1, 2000), needed);
	cr_assert_gt(needs(500, 10, 20000), 4 * needed, "answers that are alike count for less");
	cr_assert(isnan(needs(100, 1, 500)), "the others are too few");
}
