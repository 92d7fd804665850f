#include "analyzer/ablation.h"

#include <math.h>

#include <criterion/criterion.h>

#include "analyzer/report/document/document_recipes.h"
#include "base/mem.h"
#include "base/rng.h"

#define PROMPTS 60
#define REPEATS 3

/* A cell's answer to a prompt: 'a' or another letter. */
typedef char (*answer_fn)(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng);

static void judge(size_t n_factors, size_t prompts, answer_fn answer, uint64_t seed,
        struct ablation_result *ret)
{
	static struct choice choices[ABLATION_CELLS * REPEATS];
	struct ablation_answer answers[ABLATION_CELLS * REPEATS];
	struct ablation *a = ablation_create(n_factors);
	struct rng rng = {seed};
	for (size_t p = 0; p < prompts; p++) {
		uint8_t cluster[CLUSTERS_KEY_SIZE] = {(uint8_t)p, (uint8_t)(p >> 8), 1};
		size_t n = 0;
		for (size_t repeat = 0; repeat < REPEATS; repeat++) {
			for (uint32_t cell = 0; cell < 1u << n_factors; cell++) {
				char text[2] = {answer(p, cell, repeat, &rng), '\0'};
				choices[n] = (struct choice){0};
				buf_append_str(&choices[n].text, text);
				answers[n] = (struct ablation_answer){&choices[n], cell};
				n++;
			}
		}
		ablation_add(a, cluster, answers, n);
		while (n > 0) {
			buf_finish(&choices[--n].text);
		}
	}
	ablation_judge(a, ret);
	ablation_destroy(a);
}

static size_t n_found(const struct ablation_result *r)
{
	size_t n = 0;
	for (size_t f = 0; f < r->n_factors; f++) {
		for (size_t g = 0; g < r->n_factors; g++) {
			n += f == g ? r->mains[f].found : r->given[f][g].found;
		}
	}
	return n;
}

static char same(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng)
{
	return 'a';
}

static char noisy(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng)
{
	return rng_unit(rng) < 0.5 ? 'a' : 'b';
}

/* The second switch changes a third of the answers, always in the same way. */
static char second(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng)
{
	return cell & 2 && prompt % 3 == 0 ? 'b' : 'a';
}

/* The switch makes answers unstable; all cells have noise. */
static char wavering(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng)
{
	char usual = rng_unit(rng) < 0.1 ? 'n' : 'a';
	return cell & 2 && rng_unit(rng) < 0.6 ? (char)('b' + rng_below(rng, 8)) : usual;
}

static char both(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng)
{
	return (cell & 3) == 3 && prompt % 3 == 0 ? 'b' : 'a';
}

/* The third switch changes every answer; the first acts on both sides of it. */
static char beside(size_t prompt, uint32_t cell, size_t repeat, struct rng *rng)
{
	char usual = cell & 4 ? 'k' : 'a';
	return cell & 1 && prompt % 3 == 0 ? (char)(usual + 1) : usual;
}

Test(ablation, where_nothing_differs_nothing_carries_it_and_an_interval_says_how_little_is_known)
{
	struct ablation_result r;
	judge(3, PROMPTS, same, 1, &r);
	cr_expect(r.enough && r.prompts == PROMPTS);
	cr_expect_eq(n_found(&r), 0);
	for (size_t f = 0; f < 3; f++) {
		cr_expect_eq(r.mains[f].flip.value, 0);
		cr_expect(r.mains[f].flip.ci.high > 0.01 && r.mains[f].flip.ci.high < 0.2);
	}
}

Test(ablation, noise_on_both_sides_is_no_effect_in_any_of_many_trials)
{
	struct ablation_result r;
	size_t found = 0;
	for (uint64_t seed = 0; seed < 20; seed++) {
		judge(2, 40, noisy, seed, &r);
		cr_expect_float_eq(r.floors[0].value, 0.5, 0.15);
		found += n_found(&r) > 0;
	}
	cr_expect_leq(found, 1, "of 20 at an alpha of 0.01: %zu", found);
}

Test(ablation, a_switch_that_carries_all_is_found_and_no_other)
{
	const answer_fn all[] = {second, wavering};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct ablation_result r;
		judge(3, PROMPTS, all[i], 3, &r);
		cr_expect(r.mains[1].found && n_found(&r) == 1, "%zu: %zu found", i, n_found(&r));
		cr_expect(r.mains[1].flip.ci.low > 0);
		cr_expect_lt(fabs(r.mains[0].flip.value), 0.05);
	}
}

Test(ablation, what_takes_two_switches_is_found_as_that)
{
	struct ablation_result r;
	judge(3, PROMPTS, both, 3, &r);
	cr_expect(r.mains[0].found && r.mains[1].found && !r.mains[2].found);
	cr_expect(r.given[0][1].found && r.given[1][0].found && n_found(&r) == 4);
	cr_expect_float_eq(r.given[0][1].off.value, 0, 1e-9);
	cr_expect_float_eq(r.given[0][1].on.value, 1.0 / 3, 1e-9);
	cr_expect_float_eq(r.mains[0].flip.value, 1.0 / 6, 1e-9, "mean over the other's settings");
}

Test(ablation, a_switch_that_changes_all_hides_no_other)
{
	struct ablation_result r;
	judge(3, PROMPTS, beside, 3, &r);
	cr_expect(r.mains[0].found && r.mains[2].found && n_found(&r) == 2);
	cr_expect_float_eq(r.mains[2].flip.value, 1, 1e-9);
	cr_expect_float_eq(r.mains[0].flip.value, 1.0 / 3, 1e-9);
}

Test(ablation, few_prompts_say_nothing)
{
	struct ablation_result r;
	judge(1, ABLATION_LEAST - 1, noisy, 3, &r);
	cr_expect(!r.enough && n_found(&r) == 0);
	cr_expect(isnan(r.mains[0].p));
}

Test(ablation, what_is_found_only_given_another_switch_counts_for_its_own)
{
	static const struct document_factor FACTORS[] = {
	        {"a", "0", "1"}, {"b", "0", "1"}, {"c", "0", "1"}};
	struct ablation_result r = {.n_factors = 3, .enough = true, .prompts = 40};
	r.given[1][2].found = true;
	cr_expect(!ablation_carries(&r, 0) && ablation_carries(&r, 1) && !ablation_carries(&r, 2));
	json_t *json = document_ablation(&r, FACTORS);
	const json_t *carried = json_object_get(json, "carried_by");
	cr_assert_eq(json_array_size(carried), 1);
	cr_expect_str_eq(json_string_value(json_array_get(carried, 0)), "b");
	json_decref(json);
}
