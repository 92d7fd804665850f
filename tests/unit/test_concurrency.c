#include "analyzer/concurrency.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"
#include "base/rng.h"
#include "rounds.h"

static const unsigned LEVELS[] = {1, 2, 4, 8, 16};
#define EACH 100

/* EACH answers a level in random order of time, marked with a chance that depends on the level and the time. */
static void judge(double (*chance)(unsigned level, double time), unsigned marks, uint64_t seed,
        struct concurrency *ret)
{
	static struct concurrency_answer answers[5 * EACH];
	struct rng d = {seed};
	for (size_t i = 0; i < 5 * EACH; i++) {
		double time = rng_unit(&d);
		unsigned level = (unsigned)(i % 5);
		answers[i] = (struct concurrency_answer){.start_ns = (uint64_t)(time * 1e9),
		        .level = level,
		        .prompt = (uint32_t)(i / 5 % 50),
		        .cluster = i / 5 % 50};
		answers[i].marks = rng_unit(&d) < chance(level, time) ? marks : 0;
	}
	concurrency_judge(LEVELS, 5, answers, 5 * EACH, ret);
}

static double never_ever(unsigned level, double time)
{
	return 0;
}

static double always_some(unsigned level, double time)
{
	return 0.2;
}

static double with_load(unsigned level, double time)
{
	return 0.08 * level;
}

static double in_company(unsigned level, double time)
{
	return level ? 0.2 : 0;
}

static double of_late(unsigned level, double time)
{
	return time > 0.7 ? 0.4 : 0.02;
}

static bool found_any(const struct concurrency *s)
{
	return s->drift.found || s->jumps.found || s->failed.found || s->loops.found ||
	       s->empty.found || s->foreign.found || s->change.found;
}

Test(concurrency, where_nothing_differs_nothing_is_found)
{
	struct concurrency s;
	judge(never_ever, CONCURRENCY_DIFFERS, 1, &s);
	cr_assert_not(found_any(&s));
	cr_assert_eq(s.levels[4].answers, EACH);
	cr_assert(isnan(s.drift.p) && isnan(s.change.p));
}

Test(concurrency, what_differs_at_all_levels_alike_is_the_floor_and_raises_few_alarms)
{
	unsigned alarms = 0;
	for (uint64_t seed = 0; seed < ROUNDS(300); seed++) {
		struct concurrency s;
		judge(always_some, CONCURRENCY_DIFFERS, seed, &s);
		alarms += found_any(&s);
	}
	/* Two tests at 0.0005 each: 0.3 expected. */
	cr_assert_leq(alarms, ROUNDS(2), "%u", alarms);
}

/*
 * Ten prompts, an answer alone and two in each company, nearly all of which differ: where few stand out it takes few that happen to
 * be alike to seem far from what is usual. By the normal distribution one of 450 such runs alarmed.
 */
Test(concurrency, prompts_that_nearly_always_differ_raise_no_more_alarms_than_others)
{
	unsigned alarms = 0;
	struct rng d = {4};
	for (unsigned run = 0; run < ROUNDS(5000); run++) {
		struct concurrency_answer answers[10 * 5];
		struct concurrency s;
		double chance = 0;
		for (uint32_t i = 0; i < ARRAY_LEN(answers); i++) {
			chance = i % 5 ? chance : 0.8 + 0.2 * rng_unit(&d);
			answers[i] = (struct concurrency_answer){.start_ns = rng_next(&d),
			        .level = (i % 5 + 1) / 2,
			        .prompt = i / 5,
			        .cluster = i / 5,
			        .marks = rng_unit(&d) < chance ? CONCURRENCY_DIFFERS : 0};
		}
		concurrency_judge(LEVELS, 3, answers, ARRAY_LEN(answers), &s);
		alarms += found_any(&s);
	}
	cr_assert_leq(alarms, ROUNDS(8), "%u", alarms);
}

Test(concurrency, differences_that_grow_with_the_level_are_drift)
{
	struct concurrency s;
	judge(with_load, CONCURRENCY_DIFFERS, 3, &s);
	cr_assert(s.drift.found && !s.jumps.found && !s.change.found);
	judge(in_company, CONCURRENCY_DIFFERS, 3, &s);
	cr_assert(s.drift.found, "also those that come with any company");
}

Test(concurrency, jumps_are_found_and_are_no_drift)
{
	struct concurrency s;
	judge(with_load, CONCURRENCY_DIFFERS | CONCURRENCY_JUMPS, 3, &s);
	cr_assert(s.jumps.found && !s.drift.found);
	cr_assert_eq(s.jumps.hits,
	        s.levels[1].jumps + s.levels[2].jumps + s.levels[3].jumps + s.levels[4].jumps);
}

static double mostly(unsigned level, double time)
{
	return 0.9;
}

Test(concurrency, an_engine_that_jumps_alone_just_as_often_mixes_nothing_up)
{
	unsigned alarms = 0;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct concurrency s;
		judge(seed % 2 ? mostly : always_some, CONCURRENCY_DIFFERS | CONCURRENCY_JUMPS,
		        seed, &s);
		alarms += s.jumps.found;
	}
	cr_assert_leq(alarms, 1, "%u", alarms);
}

Test(concurrency,
        few_jumps_in_company_are_found_where_nothing_differs_alone_and_not_where_something_does)
{
	struct concurrency_answer answers[25 * 9];
	struct concurrency s;
	/* Of each of 25 prompts one answer alone and two at each of four levels; 18 of those above jump. */
	for (uint32_t i = 0; i < ARRAY_LEN(answers); i++) {
		uint32_t prompt = i / 9, k = i % 9;
		bool jumps = prompt < 18 && k == 1 + prompt % 8;
		answers[i] = (struct concurrency_answer){.start_ns = i,
		        .level = (k + 1) / 2,
		        .prompt = prompt,
		        .marks = jumps ? CONCURRENCY_DIFFERS | CONCURRENCY_JUMPS : 0};
	}
	concurrency_judge(LEVELS, 5, answers, ARRAY_LEN(answers), &s);
	cr_assert(s.jumps.found && s.jumps.hits == 18);
	answers[9 * 20].marks = CONCURRENCY_DIFFERS | CONCURRENCY_JUMPS;
	concurrency_judge(LEVELS, 5, answers, ARRAY_LEN(answers), &s);
	cr_assert_eq(s.levels[0].jumps, 1);
	cr_assert_not(s.jumps.found);
}

Test(concurrency, jumps_at_the_lowest_level_alone_are_never_found)
{
	struct concurrency_answer answers[40];
	struct concurrency s;
	for (uint32_t i = 0; i < ARRAY_LEN(answers); i++) {
		answers[i] = (struct concurrency_answer){
		        .start_ns = i, .level = i % 2, .prompt = i / 4, .marks = 0};
		answers[i].marks = i % 2 ? 0 : CONCURRENCY_DIFFERS | CONCURRENCY_JUMPS;
	}
	concurrency_judge(LEVELS, 2, answers, ARRAY_LEN(answers), &s);
	cr_assert_eq(s.levels[0].jumps, 20);
	cr_assert_not(found_any(&s));
}

/* So many prompts of twenty always differ under load; eight answers per level. */
static void judge_prompts(uint32_t touched, struct concurrency *ret)
{
	static struct concurrency_answer answers[20 * 5 * 8];
	for (uint32_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct concurrency_answer *a = &answers[i];
		*a = (struct concurrency_answer){
		        .start_ns = (uint64_t)i * 7919 % 797, .level = i % 5, .prompt = i / 40};
		a->marks = a->prompt < touched && a->level > 0 ? CONCURRENCY_DIFFERS : 0;
	}
	concurrency_judge(LEVELS, 5, answers, ARRAY_LEN(answers), ret);
}

Test(concurrency, one_prompt_however_often_it_is_asked_is_no_drift_and_several_are)
{
	struct concurrency s;
	judge_prompts(1, &s);
	cr_assert_eq(s.drift.hits, 32);
	cr_assert_not(s.drift.found);
	judge_prompts(6, &s);
	cr_assert(s.drift.found);
}

Test(concurrency, prompts_that_differ_by_nature_and_were_asked_more_at_high_levels_are_no_drift)
{
	static struct concurrency_answer answers[400];
	struct concurrency s;
	/* Every other prompt has most of its answers above, and these prompts differ at every level alike. */
	for (uint32_t i = 0; i < ARRAY_LEN(answers); i++) {
		uint32_t prompt = i / 20, k = i % 20;
		bool odd = prompt % 2;
		answers[i] = (struct concurrency_answer){.start_ns = (uint64_t)i * 7919 % 401,
		        .level = odd ? (k < 16 ? 4 : 0) : (k < 4 ? 4 : 0),
		        .prompt = prompt,
		        .marks = odd && k % 4 != 1 ? CONCURRENCY_DIFFERS : 0};
	}
	concurrency_judge(LEVELS, 5, answers, ARRAY_LEN(answers), &s);
	cr_assert_not(s.drift.found);
}

Test(concurrency, a_change_in_time_is_told_with_its_moment_and_is_no_drift)
{
	struct concurrency s;
	judge(of_late, CONCURRENCY_DIFFERS, 5, &s);
	cr_assert(s.change.found && !s.drift.found);
	cr_assert(s.changed_ns > 6.5e8 && s.changed_ns < 7.5e8);
}

/* Sessions of ten turns, all of which differ or none; in each of two passes at each level they come as blocks, in an order of its own. */
static void judge_sessions(uint64_t seed, struct concurrency *ret)
{
	enum { SESSIONS = 16, TURNS = 10 };
	static struct concurrency_answer answers[5 * 2 * SESSIONS * TURNS];
	struct rng d = {seed};
	uint64_t now = 0;
	size_t n = 0;
	for (uint32_t pass = 0; pass < 10; pass++) {
		uint32_t order[SESSIONS];
		for (uint32_t i = 0; i < SESSIONS; i++) {
			size_t at = rng_below(&d, i + 1);
			order[i] = order[at];
			order[at] = i;
		}
		for (uint32_t i = 0; i < SESSIONS * TURNS; i++) {
			uint32_t session = order[i / TURNS];
			answers[n++] = (struct concurrency_answer){
			        .start_ns = ++now,
			        .level = pass % 5,
			        .prompt = session * TURNS + i % TURNS,
			        .cluster = session,
			        .marks = session < 4 ? CONCURRENCY_DIFFERS : 0,
			};
		}
	}
	concurrency_judge(LEVELS, 5, answers, n, ret);
}

Test(concurrency, sessions_that_differ_by_nature_are_no_change_in_time_wherever_they_come)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct concurrency s;
		judge_sessions(seed, &s);
		cr_expect_not(s.change.found, "seed %u: p %g", (unsigned)seed, s.change.p);
	}
}

Test(concurrency, errors_and_broken_texts_that_come_with_company_are_found_by_kind)
{
	struct concurrency s;
	judge(in_company, CONCURRENCY_FAILED, 1, &s);
	cr_assert(s.failed.found && !s.loops.found && !s.drift.found);
	judge(in_company, CONCURRENCY_LOOPS, 1, &s);
	cr_assert(s.loops.found && !s.empty.found);
	judge(in_company, CONCURRENCY_EMPTY, 1, &s);
	cr_assert(s.empty.found);
	judge(in_company, CONCURRENCY_FOREIGN, 1, &s);
	cr_assert(s.foreign.found);
	judge(always_some, CONCURRENCY_FAILED, 1, &s);
	cr_assert_not(s.failed.found, "errors at all levels alike are not of the load");
}

static struct concurrency_test poison(
        uint64_t hits, uint64_t n, uint64_t hits_before, uint64_t n_before, unsigned looks)
{
	return concurrency_poison(
	        &(struct concurrency_probe){hits, n, hits_before, n_before}, 1, looks);
}

Test(concurrency, poison_is_a_difference_behind_failures_that_was_not_before)
{
	cr_assert(poison(12, 20, 0, 20, 1).found);
	cr_assert_float_eq(
	        poison(3, 5, 1, 5, 1).p, 55.0 / 210, 1e-9, "as scipy.stats.fisher_exact");
	cr_assert_not(poison(12, 20, 10, 20, 1).found);
	cr_assert_not(poison(0, 20, 0, 20, 1).found);
	cr_assert_float_eq(poison(3, 5, 1, 5, 3).p, 165.0 / 210, 1e-9);
	cr_assert_not(poison(3, 20, 0, 0, 1).found);
}

Test(concurrency, a_probe_that_wavers_by_nature_is_no_poison)
{
	/* One differs nearly always, before as behind; the three others never. All in one heap, 9 of 10 stood against 4 of 20. */
	const struct concurrency_probe wavering[] = {
	        {9, 10, 4, 5}, {0, 0, 0, 5}, {0, 0, 0, 5}, {0, 0, 0, 5}};
	struct concurrency_test t = concurrency_poison(wavering, ARRAY_LEN(wavering), 1);
	cr_assert_float_eq(t.p, 0.571428571429, 1e-9, "as the first alone: %g", t.p);
	/* P(2 or more of both) where either has one of {1 of 2 behind, 1 of 2 before}: 2/4 each. */
	const struct concurrency_probe even[] = {{1, 2, 0, 2}, {1, 2, 0, 2}};
	t = concurrency_poison(even, ARRAY_LEN(even), 1);
	cr_assert_float_eq(t.p, 0.25, 1e-12);
	cr_assert(t.hits == 2 && t.n == 4);
	cr_assert(isnan(concurrency_poison(NULL, 0, 4).p));
}

Test(concurrency, a_loop_is_an_end_that_comes_again_and_again)
{
#define LOOPS(text) concurrency_loops(text, strlen(text))
	cr_assert(LOOPS("Well, !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"));
	cr_assert(
	        LOOPS("It is good. It is good. It is good. It is good. It is good. It is good. "));
	cr_assert_not(
	        LOOPS("It is good. It is good. And that was that, said the old man to them."));
	cr_assert_not(LOOPS("!!!!!!!!"));
	cr_assert_not(LOOPS(""));
}

Test(concurrency, scripts_count_from_three_characters_on)
{
#define SCRIPTS(text) concurrency_scripts(text, strlen(text))
	cr_assert_eq(SCRIPTS("The word \u03b1\u03b2."), SCRIPTS("The word."));
	cr_assert_eq(SCRIPTS("The word \u03b1\u03b2\u03b3."), 3);
	cr_assert_eq(SCRIPTS("123 + 4 = ?"), 0);
	cr_assert_neq(SCRIPTS("\u65e5\u672c\u8a9e"), SCRIPTS("\uc5b4\uc5b4\uc5b4"));
}
