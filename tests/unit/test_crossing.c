#include "analyzer/stats/crossing.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#define PROMPTS 20
#define SEEDS 12

struct answers {
	struct clusters *prompts;
	struct crossing seeds;
};

static void add(struct answers *a, uint64_t prompt, int64_t seed, double part)
{
	uint8_t key[CLUSTERS_KEY_SIZE] = {0};
	memcpy(key + 8, &prompt, sizeof(prompt));
	clusters_add(a->prompts, clusters_row(a->prompts, key), 0, part, 1);
	crossing_add(&a->seeds, crossing_cell_for(&a->seeds, 1, key, seed), 0, part, 1);
}

static void finish(struct answers *a)
{
	clusters_destroy(a->prompts);
	crossing_finish(&a->seeds);
}

static double of_cell(uint64_t prompt, int64_t seed)
{
	return (double)(prompt * 7 % 5) + (double)(seed * 5 % 3) +
	       (double)((prompt * 31 + (uint64_t)seed * 17) % 11) / 10;
}

Test(crossing, what_seeds_do_alike_to_all_prompts_is_theirs_and_nothing_else_is)
{
	struct answers same = {.prompts = clusters_create(1)},
	               apart = {.prompts = clusters_create(1)};
	struct crossing_part part;
	for (uint64_t prompt = 0; prompt < PROMPTS; prompt++) {
		for (int64_t seed = 0; seed < SEEDS; seed++) {
			add(&same, prompt, seed, seed % 2);
			add(&apart, prompt, seed, prompt % 2);
		}
	}
	cr_assert(crossing_estimate(&same.seeds, same.prompts, 0, &part));
	cr_assert_eq(part.seeds, SEEDS);
	cr_assert_float_eq(part.error, 0.5 / sqrt(SEEDS - 1), 1e-12);
	cr_assert_float_eq(part.reach, 2.200985 * part.error, 1e-6, "Student's t of 11");
	cr_assert(crossing_estimate(&apart.seeds, apart.prompts, 0, &part));
	cr_assert_float_eq(part.error, 0, 1e-12);
	finish(&same);
	finish(&apart);
}

Test(crossing, seeds_that_are_drawn_for_each_prompt_or_are_few_or_missing_tell_nothing)
{
	struct answers own = {.prompts = clusters_create(1)}, few = {.prompts = clusters_create(1)},
	               some = {.prompts = clusters_create(1)};
	struct crossing_part part;
	uint8_t without[CLUSTERS_KEY_SIZE] = {9};
	for (uint64_t prompt = 0; prompt < PROMPTS; prompt++) {
		for (int64_t seed = 0; seed < SEEDS; seed++) {
			add(&own, prompt, (int64_t)prompt * SEEDS + seed, seed % 2);
			add(&few, prompt, seed % (CROSSING_LEAST - 1), seed % 2);
			add(&some, prompt, seed, seed % 2);
		}
	}
	clusters_add(some.prompts, clusters_row(some.prompts, without), 0, 1, 1);
	cr_expect_not(crossing_estimate(&own.seeds, own.prompts, 0, &part));
	cr_expect_not(crossing_estimate(&few.seeds, few.prompts, 0, &part));
	cr_expect_not(crossing_estimate(&some.seeds, some.prompts, 0, &part));
	finish(&own);
	finish(&few);
	finish(&some);
}

Test(crossing, a_table_is_as_full_as_its_cells_however_often_each_is_asked)
{
	struct answers own = {.prompts = clusters_create(1)},
	               half = {.prompts = clusters_create(1)};
	struct crossing_part part;
	for (uint64_t prompt = 0; prompt < PROMPTS; prompt++) {
		for (int64_t seed = 0; seed < SEEDS; seed++) {
			add(&own, prompt, (int64_t)prompt, of_cell(prompt, seed));
			/* Half of the cells, each twice. */
			add(&half, prompt, (seed / 2 * 2 + (int64_t)prompt) % SEEDS,
			        of_cell(prompt, seed));
		}
	}
	cr_assert_eq(clusters_count(half.seeds.cells), PROMPTS * SEEDS / 2);
	cr_expect_not(crossing_estimate(&own.seeds, own.prompts, 0, &part));
	cr_expect(crossing_estimate(&half.seeds, half.prompts, 0, &part));
	finish(&own);
	finish(&half);
}

Test(crossing, large_tables_too_are_told_from_seeds_that_are_each_prompts_own)
{
	enum { MANY = 400 };
	struct answers own = {.prompts = clusters_create(1)},
	               full = {.prompts = clusters_create(1)};
	struct crossing_part part;
	for (uint64_t prompt = 0; prompt < MANY; prompt++) {
		for (int64_t seed = 0; seed < CROSSING_MOST; seed++) {
			add(&full, prompt, seed, of_cell(prompt, seed));
		}
	}
	cr_assert(clusters_are_grouped(full.seeds.cells));
	cr_expect(crossing_estimate(&full.seeds, full.prompts, 0, &part));
	for (uint64_t prompt = 0; prompt < MANY; prompt++) {
		for (int64_t seed = 0; seed < 64; seed++) {
			add(&own, prompt, 64 * (int64_t)(prompt % 4) + seed, 1);
		}
	}
	cr_assert(clusters_are_grouped(own.seeds.cells));
	cr_expect_not(crossing_estimate(&own.seeds, own.prompts, 0, &part));
	finish(&own);
	finish(&full);
}

Test(crossing, more_seeds_than_can_be_crossed_are_let_go)
{
	struct answers one = {.prompts = clusters_create(1)};
	struct crossing_part part;
	for (int64_t seed = 0; seed < CROSSING_MOST; seed++) {
		add(&one, 1, seed, 1);
	}
	cr_assert(one.seeds.seeds);
	add(&one, 1, CROSSING_MOST, 1);
	cr_expect(one.seeds.beyond && !one.seeds.seeds && !one.seeds.cells);
	add(&one, 2, 3, 1);
	cr_expect_not(crossing_estimate(&one.seeds, one.prompts, 0, &part));
	finish(&one);
}
