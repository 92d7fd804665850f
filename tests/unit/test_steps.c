#include "replay/steps.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define STEP_S 10
#define STEP_NS (STEP_S * UINT64_C(1000000000))

/* An engine that answers at most so many requests per second, each after 0.1 s, and delays
 * the others. */
struct engine {
	double capacity;
	uint64_t lag_us; /* of this machine, from this rate on */
	double lags_from;
	unsigned hiccups; /* steps that do not count yet */
	unsigned stalls;  /* steps before those that this machine does not send in time */
};

/* Answers that take so long at first, and in the end this much more. */
static void add(struct load_figures *f, double e2el_us, double more_us, uint64_t lag_us, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t us = (uint64_t)(e2el_us + more_us * (double)i / (double)n);
		histogram_add(&f->e2el, us);
		histogram_add(&f->e2el_intended, us);
		histogram_add(&f->ttft_intended, us / 2);
		histogram_add(&f->lag, lag_us);
	}
}

static void run_step(
        struct steps *s, struct engine *e, double rate, const struct load_figures_goals *g)
{
	struct load_figures f = {.goals = *g};
	double capacity = e->capacity;
	bool stalls = e->stalls > 0;
	if (stalls) {
		e->stalls--;
	} else if (e->hiccups > 0) {
		e->hiccups--;
		capacity /= 10;
	}
	double over = rate > capacity ? rate - capacity : 0;
	double usual = MIN(rate, capacity) * 0.1;
	const struct step_moment half = {
	        (uint64_t)(rate * STEP_S / 2), (unsigned)(usual + over * STEP_S / 2), STEP_S / 2.0};
	const struct step_moment end = {
	        (uint64_t)(rate * STEP_S), (unsigned)(usual + over * STEP_S), STEP_S};
	f.sent = f.completed = f.offer.due = end.sent;
	/* The last request waits for all before it. */
	add(&f, 1e5, over * STEP_S / capacity * 1e6,
	        stalls || rate >= e->lags_from ? e->lag_us : 10, f.sent);
	steps_add(s, rate, &f, &half, &end, true);
	load_figures_finish(&f);
}

static void search(struct steps *s, struct engine *e, const char *pace_text, struct pace *p,
        const struct load_figures_goals *g)
{
	double rate;
	*p = (struct pace){.step = STEP_NS};
	cr_assert(!pace_parse(pace_text, p));
	steps_init(s, p);
	while (steps_next(s, &rate)) {
		run_step(s, e, rate, g);
	}
}

static const struct load_figures_goals NO_GOALS;

static bool says(const struct steps *s, const char *what)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	steps_text(s, f);
	fclose(f);
	bool found = strstr(text, what) != NULL;
	free(text);
	return found;
}

Test(steps, a_search_names_the_knee_within_a_tenth)
{
	static const double CAPACITIES[] = {17, 40, 333, 9000};
	for (size_t i = 0; i < ARRAY_LEN(CAPACITIES); i++) {
		struct engine e = {.capacity = CAPACITIES[i], .lags_from = 1e9};
		struct steps s;
		struct pace p;
		search(&s, &e, "saturate:4", &p, &NO_GOALS);
		cr_expect_eq(s.end, STEPS_KNEE);
		/* Growth of 5 % and of what chance makes is still held. */
		double slack = 1.06 + 12 / (CAPACITIES[i] * STEP_S);
		cr_expect(s.highest_held <= slack * CAPACITIES[i] &&
		                  s.highest_held * 1.11 >= CAPACITIES[i],
		        "%g: held %g", CAPACITIES[i], s.highest_held);
		cr_expect_leq(s.n, 40);
	}
}

Test(steps, too_few_answers_are_no_knee_and_longer_steps_are_named_that_have_enough)
{
	static const double CAPACITIES[] = {0.7, 3, 7};
	for (size_t i = 0; i < ARRAY_LEN(CAPACITIES); i++) {
		struct engine e = {.capacity = CAPACITIES[i], .lags_from = 1e9};
		struct steps s;
		struct pace p;
		struct buf json = {0};
		search(&s, &e, "saturate", &p, &NO_GOALS);
		cr_expect_eq(s.end, STEPS_FEW);
		cr_assert(steps_few(&s) && !steps_knee(&s));
		cr_expect_eq(steps_few(&s)->rate, s.highest_held);
		cr_expect(says(&s, "are too few"));
		cr_expect(says(&s, "the engine no longer keeps up"), "it also reports that");
		steps_json(&(struct json_writer){.to = &json}, &s);
		cr_expect(
		        strstr(buf_cstr(&json), "\"search\":\"few\",\"knee\":null,\"not_held\":{"));
		buf_finish(&json);
		double enough = steps_sufficient_seconds(&s, steps_few(&s));
		cr_expect(enough >= 13 && enough * s.highest_held >= 125 &&
		          (enough == 13 || enough * s.highest_held < 125 + s.highest_held));
	}
}

Test(steps, a_step_is_no_proof_of_a_rate_if_another_one_would_pass_as_well)
{
	static const struct {
		double took;
		uint64_t sent;
		enum step_verdict verdict;
	} ALL[] = {{0.1e6, 120, STEP_HELD}, {1e6, 120, STEP_HELD}, {3e6, 120, STEP_FEW},
	        {0.1e6, 108, STEP_HELD}, {0.1e6, 107, STEP_FEW}};
	struct pace p = {.step = STEP_NS};
	double rate;
	cr_assert(!pace_parse("12,24", &p));
	for (size_t i = 0; i < ARRAY_LEN(ALL); i++) {
		struct steps s;
		uint64_t n = ALL[i].sent;
		struct load_figures f = {.sent = n, .completed = n, .offer.due = n};
		uint64_t under_way = (uint64_t)(12 * ALL[i].took / 1e6);
		const struct step_moment half = {n / 2, under_way, 5}, end = {n, under_way, 10};
		add(&f, ALL[i].took, 0, 10, n);
		steps_init(&s, &p);
		cr_assert(steps_next(&s, &rate));
		steps_add(&s, rate, &f, &half, &end, true);
		cr_expect_eq(s.items[0].verdict, ALL[i].verdict, "%zu", i);
		cr_expect_float_eq(step_within(&s.items[0]), n == 120 ? 0.179 : 0.189, 0.001);
		load_figures_finish(&f);
		if (ALL[i].took > 2e6) {
			/* 36 under way: 4 * sqrt(72) / 0.2, and some more, at 12 a second. */
			cr_expect_eq(steps_sufficient_seconds(&s, &s.items[0]), 18);
		}
	}
}

/* The verdict on a step of so many answers, of which some have no figure that a limit is on, some
 * are slow and others are none. */
static enum step_verdict verdict_with(
        uint64_t ungauged, uint64_t answers, uint64_t slow, uint64_t failed)
{
	struct load_figures f = {
	        .goals = {.e2el_us = 90000}, .sent = answers, .offer.due = answers};
	const struct step_moment half = {answers / 2, 0, 5}, end = {answers, 0, 10};
	struct steps s;
	struct pace p;
	f.completed = answers - failed;
	error_tally_add_many(&f.failed, "500", failed);
	add(&f, 5e4, 0, 10, answers - ungauged - slow - failed);
	add(&f, 1e5, 0, 10, slow);
	cr_assert_null(pace_parse("saturate", &p));
	p.step = STEP_NS;
	steps_init(&s, &p);
	steps_add(&s, (double)answers / 10, &f, &half, &end, true);
	load_figures_finish(&f);
	return s.items[0].verdict;
}

static enum step_verdict verdict_of(uint64_t answers, uint64_t slow, uint64_t failed)
{
	return verdict_with(0, answers, slow, failed);
}

/* As an independent sum of binomial chances has it. */
Test(steps, one_error_or_slow_answer_of_a_few_may_be_chance)
{
	static const struct {
		uint64_t answers, least;
	} CASES[] = {{1, 1}, {2, 1}, {3, 2}, {24, 2}, {25, 3}, {62, 3}, {63, 4}, {99, 4}};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		uint64_t n = CASES[i].answers, k = CASES[i].least;
		cr_expect_eq(verdict_of(n, k, 0), STEP_SLOW, "%d", (int)n);
		cr_expect_eq(verdict_of(n, k - 1, 0), STEP_FEW, "%d", (int)n);
		cr_expect_eq(verdict_of(n, 0, k), STEP_ERRORS, "%d", (int)n);
		cr_expect_eq(verdict_of(n, 0, k - 1), STEP_FEW, "%d", (int)n);
	}
	cr_expect_eq(verdict_of(1000, 10, 0), STEP_HELD, "one in a hundred is no more than that");
	cr_expect_eq(verdict_of(1000, 11, 0), STEP_SLOW);
	cr_expect_eq(verdict_of(1000, 0, 11), STEP_ERRORS);
}

Test(steps, what_few_of_many_answers_are_held_against_is_told_by_these_few)
{
	cr_expect_eq(verdict_with(976, 1000, 1, 0), STEP_FEW, "one slow stream of 24");
	cr_expect_eq(verdict_with(976, 1000, 2, 0), STEP_SLOW);
	cr_expect_eq(verdict_with(976, 1000, 0, 0), STEP_HELD, "none is slow");
	cr_expect_eq(
	        verdict_with(900, 1000, 1, 0), STEP_HELD, "one of a hundred is one in a hundred");
	cr_expect_eq(verdict_with(0, 100, 3, 1), STEP_FEW, "three of 99, and one that failed");
	const struct pace p = {.step = 60 * UINT64_C(1000000000)};
	const struct steps s = {.pace = &p, .answer_seconds = 0.1};
	const struct step few = {.rate = 20, .completed = 1000, .gauged = 24};
	double enough = steps_sufficient_seconds(&s, &few);
	cr_expect(enough > 250 && enough < 300, "100 of 24 in 50 s, and some more: %f", enough);
}

Test(steps, a_limit_of_goodput_is_a_knee_before_saturation)
{
	struct engine e = {.capacity = 100, .lags_from = 1e9};
	struct load_figures_goals g = {.e2el_us = 90000};
	struct steps s;
	struct pace p;
	search(&s, &e, "saturate", &p, &g);
	cr_expect_eq(s.items[0].verdict, STEP_SLOW);
	cr_expect_eq(s.highest_held, 0);
	g.e2el_us = 150000;
	search(&s, &e, "saturate", &p, &g);
	cr_expect(s.highest_held > 90 && s.highest_held <= 106);
}

Test(steps, one_hiccup_is_no_knee)
{
	struct engine e = {.capacity = 64, .lags_from = 1e9, .hiccups = 1};
	struct steps s;
	struct pace p;
	search(&s, &e, "saturate:20", &p, &NO_GOALS);
	cr_expect_eq(s.items[0].verdict, STEP_BEHIND);
	cr_expect_eq(s.items[1].rate, 20);
	cr_expect_eq(s.items[1].verdict, STEP_HELD);
	cr_expect(s.highest_held > 57 && s.highest_held < 70);
}

Test(steps, what_could_not_be_sent_is_no_try_of_the_engine)
{
	struct engine e = {
	        .capacity = 64, .lag_us = 30000, .lags_from = 1e9, .hiccups = 1, .stalls = 1};
	struct steps s;
	struct pace p;
	search(&s, &e, "saturate:20", &p, &NO_GOALS);
	cr_expect_eq(s.items[0].verdict, STEP_UNSENT);
	cr_expect_eq(s.items[1].verdict, STEP_BEHIND);
	cr_expect_eq(s.items[2].rate, 20, "one try that says something is not two");
	cr_expect_eq(s.items[2].verdict, STEP_HELD);
	cr_expect(s.highest_held > 57 && s.highest_held < 70);
}

Test(steps, two_stalls_of_the_machine_are_no_limit_of_it_and_three_are)
{
	struct engine e = {.capacity = 64, .lag_us = 30000, .lags_from = 1e9, .stalls = 2};
	struct steps s;
	struct pace p;
	search(&s, &e, "saturate:20", &p, &NO_GOALS);
	cr_expect_eq(s.end, STEPS_KNEE);
	e.stalls = 3;
	search(&s, &e, "saturate:20", &p, &NO_GOALS);
	cr_expect(s.end == STEPS_MACHINE && s.n == 3 && s.lowest_not_held == 0 &&
	          s.highest_held == 0);
}

Test(steps, after_what_could_not_be_sent_the_machine_is_left_alone_for_longer_and_longer)
{
	struct engine e = {.capacity = 64, .lag_us = 30000, .lags_from = 1e9, .stalls = 2};
	struct pace p = {.step = STEP_NS};
	struct steps s;
	double rate;
	cr_assert(!pace_parse("saturate:20", &p));
	steps_init(&s, &p);
	for (unsigned i = 0; i < 4 && steps_next(&s, &rate); i++) {
		cr_expect_eq(steps_pause(&s), i == 1 || i == 2 ? i * UINT64_C(2000000000) : 0);
		cr_expect_eq(steps_length(&s), steps_pause(&s) + STEP_NS,
		        "a pause is of the step behind it");
		run_step(&s, &e, rate, &NO_GOALS);
	}
	cr_expect_eq(s.items[2].verdict, STEP_HELD);
	cr_expect_eq(s.items[3].rate, 40);
}

Test(steps, what_lies_between_and_could_not_be_sent_is_told_as_that)
{
	struct pace p = {.step = STEP_NS};
	struct steps s = {.pace = &p,
	        .n = 3,
	        .highest_held = 30,
	        .lowest_not_held = 40,
	        .end = STEPS_MACHINE};
	s.items[0] = (struct step){.rate = 30, .verdict = STEP_HELD};
	s.items[1] = (struct step){.rate = 40, .verdict = STEP_BEHIND};
	s.items[2] = (struct step){.rate = 35, .verdict = STEP_UNSENT};
	cr_expect(says(&s, "Saturation point (knee): the engine sustained 30 requests/s; at 40 the "
	                   "engine no longer keeps up"));
	cr_expect(says(&s, "It lies between 30 and 40: this machine could not send"));
	cr_expect_not(says(&s, "may sustain more"));
	s.items[0].verdict = STEP_BEHIND;
	s.highest_held = 0;
	cr_expect(says(&s, "The engine sustained no rate"));
	cr_expect_not(says(&s, "may sustain more"));
}

Test(steps, the_most_that_was_tried_is_not_what_could_be_sent)
{
	struct engine e = {.capacity = 5000, .lag_us = 30000, .lags_from = 80};
	struct steps s;
	struct pace p;
	search(&s, &e, "20,80", &p, &NO_GOALS);
	cr_expect_eq(s.items[1].verdict, STEP_UNSENT);
	cr_expect(says(
	        &s, "the engine sustained 20 requests/s, the most that could be sent in time."));
	search(&s, &e, "20,70", &p, &NO_GOALS);
	cr_expect(says(&s, "the engine sustained 70 requests/s, the most that was tried."));
}

Test(steps, a_search_that_ends_at_the_highest_rate_says_no_word_of_lag)
{
	struct engine e = {.capacity = 1e9, .lags_from = 1e9};
	struct steps s;
	struct pace p;
	search(&s, &e, "saturate:400000", &p, &NO_GOALS);
	cr_expect_eq(s.end, STEPS_MACHINE);
	cr_expect(says(&s, "No higher rate was sent") && !says(&s, "lag is over"));
}

Test(steps, what_the_machine_cannot_send_is_no_word_about_the_engine)
{
	struct engine e = {.capacity = 5000, .lag_us = 30000, .lags_from = 500};
	struct steps s;
	struct pace p;
	struct buf json = {0};
	search(&s, &e, "saturate:100", &p, &NO_GOALS);
	cr_expect_eq(s.end, STEPS_MACHINE);
	cr_expect_eq(s.highest_held, 400);
	cr_expect_eq(s.lowest_not_held, 0);
	cr_expect_eq(s.items[s.n - 1].verdict, STEP_UNSENT);
	cr_expect(says(&s, "THIS MACHINE CAN'T SEND MORE"));
	steps_json(&(struct json_writer){.to = &json}, &s);
	cr_expect(strstr(buf_cstr(&json), "\"search\":\"machine\""));
	cr_expect(strstr(buf_cstr(&json), "\"not_held\":null"));
	buf_finish(&json);
}

/* A step of which so much became, of 10 s at 40 a second. */
static void add_step(struct steps *s, uint64_t due, uint64_t sent, uint64_t half, uint64_t end)
{
	struct load_figures f = {.sent = sent, .completed = sent};
	f.offer = (struct load_figures_offer){.due = due, .waiting = due - sent};
	const struct step_moment middle = {sent / 2, half, 5}, last = {sent, end, 10};
	add(&f, 1e5, 0, 10, sent);
	steps_add(s, 40, &f, &middle, &last, true);
	load_figures_finish(&f);
}

Test(steps, a_rate_that_was_not_offered_is_not_held)
{
	static const struct {
		uint64_t due, sent, half, end;
		enum step_verdict verdict;
	} ALL[] = {
	        {400, 360, 4, 4, STEP_HELD}, /* a tenth waits */
	        {400, 359, 4, 4, STEP_UNOFFERED}, {400, 40, 1, 1, STEP_UNOFFERED},
	        {400, 200, 30, 60, STEP_BEHIND}, /* fifteen times what an engine that follows has */
	        {400, 200, 1, 8, STEP_UNOFFERED}, /* sessions that have begun meanwhile */
	};
	struct pace p = {.step = STEP_NS};
	double rate;
	cr_assert(!pace_parse("saturate:40", &p));
	for (size_t i = 0; i < ARRAY_LEN(ALL); i++) {
		struct steps s;
		steps_init(&s, &p);
		cr_assert(steps_next(&s, &rate));
		add_step(&s, ALL[i].due, ALL[i].sent, ALL[i].half, ALL[i].end);
		cr_expect_eq(s.items[0].verdict, ALL[i].verdict, "%zu: %s", i,
		        step_verdict_name(s.items[0].verdict));
		if (ALL[i].verdict == STEP_UNOFFERED) {
			cr_expect_not(steps_next(&s, &rate), "sessions are no hiccup");
			cr_expect(s.end == STEPS_UNOFFERED && s.highest_held == 0 &&
			          s.lowest_not_held == 0);
			cr_expect(says(&s, "THE RATE 40 WAS NOT OFFERED"));
			cr_expect(says(&s, "sessions limit the load"));
		}
	}
}

Test(steps, a_step_in_which_nothing_was_sent_is_empty_and_no_knee)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	double rate;
	struct buf json = {0};
	cr_assert(!pace_parse("40,40", &p));
	steps_init(&s, &p);
	for (uint64_t due = 0; steps_next(&s, &rate); due += 2) {
		add_step(&s, due, 0, 0, 0);
		cr_expect_eq(s.items[s.n - 1].verdict, STEP_EMPTY);
	}
	cr_expect(s.n == 2 && s.highest_held == 0 && s.lowest_not_held == 0 && s.end == STEPS_DONE);
	cr_expect(says(&s, " empty"));
	cr_expect(says(&s, "THE RATE 40 WAS NOT OFFERED: 0 of 2 that were due were sent"));
	steps_json(&(struct json_writer){.to = &json}, &s);
	cr_expect(strstr(buf_cstr(&json), "\"verdict\":\"empty\""));
	cr_expect(strstr(buf_cstr(&json), "\"knee\":null,\"not_held\":null"));
	buf_finish(&json);
}

Test(steps, what_was_held_below_a_rate_that_was_not_offered_is_no_knee)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	double rate;
	cr_assert(!pace_parse("saturate:40", &p));
	steps_init(&s, &p);
	cr_assert(steps_next(&s, &rate));
	add_step(&s, 400, 400, 4, 4);
	cr_assert(steps_next(&s, &rate) && rate == 80);
	struct load_figures f = {.sent = 300, .completed = 300};
	f.offer = (struct load_figures_offer){.due = 800, .waiting = 500};
	const struct step_moment half = {150, 8, 5}, end = {300, 8, 10};
	add(&f, 1e5, 0, 10, 300);
	steps_add(&s, rate, &f, &half, &end, true);
	load_figures_finish(&f);
	cr_expect_not(steps_next(&s, &rate));
	cr_expect(says(&s, "No saturation point was reached: the engine sustained 40 requests/s, "
	                   "the most that "
	                   "could be offered."));
}

Test(steps, answers_that_outlast_the_step_are_not_excused_by_their_number)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	double rate;
	cr_assert(!pace_parse("40,80", &p));
	steps_init(&s, &p);
	cr_assert(steps_next(&s, &rate));
	struct load_figures f = {.sent = 400, .completed = 400, .offer.due = 400};
	const struct step_moment half = {200, 200, 5}, end = {400, 400, 10};
	add(&f, 300e6, 0, 10, 400); /* five minutes each: 12,000 would be under way */
	steps_add(&s, rate, &f, &half, &end, true);
	load_figures_finish(&f);
	cr_expect_eq(s.items[0].verdict, STEP_BEHIND);
}

Test(steps, a_list_is_gone_through_whatever_becomes_of_each)
{
	struct engine e = {.capacity = 25, .lags_from = 1e9};
	struct steps s;
	struct pace p;
	struct buf json = {0};
	search(&s, &e, "10,40,20", &p, &NO_GOALS);
	cr_assert_eq(s.n, 3);
	cr_expect_eq(s.end, STEPS_DONE);
	cr_expect_eq(s.items[1].verdict, STEP_BEHIND);
	cr_expect_float_eq(s.items[1].answered, 25, 0.5);
	steps_json(&(struct json_writer){.to = &json}, &s);
	cr_expect(strstr(buf_cstr(&json), "\"knee\":{\"rate\":20,"), "%s", buf_cstr(&json));
	buf_finish(&json);
}

Test(steps, a_step_that_was_cut_ends_all_and_is_not_judged)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	struct load_figures f = {0};
	const struct step_moment nothing = {0};
	double rate;
	cr_assert(!pace_parse("saturate", &p));
	steps_init(&s, &p);
	cr_assert(steps_next(&s, &rate));
	steps_add(&s, rate, &f, &nothing, &nothing, false);
	cr_expect_not(steps_next(&s, &rate));
	cr_expect_eq(s.end, STEPS_CUT);
	cr_expect(says(&s, "the replay was stopped"));
	s.end = STEPS_TIME;
	cr_expect(says(&s, "--duration leaves no time"));
	s.end = STEPS_EXHAUSTED;
	cr_expect(says(&s, "no request was left"));
	cr_expect(s.highest_held == 0 && s.lowest_not_held == 0);
	load_figures_finish(&f);
}

Test(steps, a_step_whose_requests_ran_out_is_cut)
{
	static const struct {
		struct load_figures_offer offer;
		enum step_verdict verdict;
	} ALL[] = {
	        {{.due = 200, .lacking = 200}, STEP_CUT},
	        {{.due = 370, .lacking = 30}, STEP_HELD},
	        {{.due = 370, .waiting = 30, .lacking = 30}, STEP_UNOFFERED},
	};
	struct pace p = {.step = STEP_NS};
	double rate;
	cr_assert(!pace_parse("40,80", &p));
	for (size_t i = 0; i < ARRAY_LEN(ALL); i++) {
		struct steps s;
		struct load_figures f = {.offer = ALL[i].offer};
		const struct step_moment half = {170, 4, 5}, end = {340, 4, 10};
		f.sent = f.completed = f.offer.due - f.offer.waiting;
		add(&f, 1e5, 0, 10, f.sent);
		steps_init(&s, &p);
		cr_assert(steps_next(&s, &rate));
		steps_add(&s, rate, &f, &half, &end, true);
		cr_expect_eq(s.items[0].verdict, ALL[i].verdict, "%zu", i);
		load_figures_finish(&f);
	}
}

Test(steps, fewer_that_would_have_been_sent_at_the_end_are_no_endless_number)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	struct load_figures f = {.offer.due = 800, .sent = 800, .completed = 800};
	const struct step_moment half = {1600, 1208, 5}, end = {800, 7, 10};
	double rate;
	cr_assert(!pace_parse("80,160", &p));
	add(&f, 1e5, 0, 10, 800);
	steps_init(&s, &p);
	cr_assert(steps_next(&s, &rate));
	steps_add(&s, rate, &f, &half, &end, true);
	cr_expect_float_eq(s.items[0].answered, 80.2, 0.01);
	load_figures_finish(&f);
}

Test(steps, a_step_in_which_nothing_was_measured_says_nothing_of_how_long_an_answer_takes)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	double rate;
	cr_assert(!pace_parse("20,40", &p));
	steps_init(&s, &p);
	for (int i = 0; i < 2; i++) {
		/* All of the first were to warm up; 40 a second that take a second each are 40
		 * under way. */
		uint64_t n = i ? 400 : 200;
		struct load_figures f = {.sent = n, .completed = i ? n : 0, .offer.due = n};
		const struct step_moment half = {n / 2, i ? 30 : 20, 5}, end = {n, i ? 45 : 20, 10};
		if (i) {
			add(&f, 1e6, 0, 10, n);
		}
		cr_assert(steps_next(&s, &rate));
		steps_add(&s, rate, &f, &half, &end, true);
		load_figures_finish(&f);
	}
	cr_expect_eq(s.items[0].verdict, STEP_FEW);
	cr_expect_neq(s.items[1].verdict, STEP_BEHIND);
}

Test(steps, answers_that_take_longer_than_a_step_are_told_from_saturation)
{
	struct pace p = {.step = STEP_NS};
	struct steps s;
	double rate;
	cr_assert(!pace_parse("saturate:10", &p));
	steps_init(&s, &p);
	while (steps_next(&s, &rate)) { /* each takes 20 s: nothing is answered meanwhile */
		struct load_figures f = {.sent = 100, .completed = 100, .offer.due = 100};
		const struct step_moment half = {50, 50, 5}, end = {100, 100, 10};
		add(&f, 2e7, 0, 10, 100);
		steps_add(&s, rate, &f, &half, &end, true);
		load_figures_finish(&f);
	}
	cr_expect_eq(s.end, STEPS_SHORT);
}
