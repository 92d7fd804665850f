#include "analyzer/reruns.h"

#include <math.h>

#include <criterion/criterion.h>

#include "base/mem.h"

static struct choice choices[32];

static const struct choice *says(size_t i, const char *text)
{
	choices[i] = (struct choice){0};
	buf_append_str(&choices[i].text, text);
	return &choices[i];
}

static void forget(void)
{
	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		buf_finish(&choices[i].text);
		buf_finish(&choices[i].reasoning);
	}
}

/* A prompt with one answer per letter; upper case: at level 1. cached: per answer, or NULL. */
static void add(struct reruns *r, uint8_t prompt, const char *text, const char *cached)
{
	struct rerun_answer answers[32];
	uint8_t cluster[CLUSTERS_KEY_SIZE] = {prompt};
	size_t n = strlen(text);
	for (size_t i = 0; i < n; i++) {
		char word[2] = {(char)(text[i] | 0x20), '\0'};
		answers[i] = (struct rerun_answer){
		        says(i, word), text[i] < 'a', cached ? cached[i] : -1};
	}
	reruns_add(r, cluster, (struct id){{prompt}}, "item", answers, n);
	forget();
}

static double value(const struct reruns_level *l, enum rerun_figure f)
{
	struct estimate by[N_RERUN_FIGURES];
	reruns_estimate(l, by);
	return by[f].value;
}

Test(reruns, all_runs_are_held_against_all_and_not_against_the_first)
{
	struct reruns r = {0};
	add(&r, 1, "baaa", NULL); /* the first is the odd one */
	cr_expect_float_eq(value(&r.all, RERUN_MODE), 0.75, 1e-9);
	cr_expect_float_eq(value(&r.all, RERUN_AGREE), 0.5, 1e-9, "3 of 6 pairs");
	cr_expect_float_eq(value(&r.all, RERUN_FIRST), 0.25, 1e-9, "as infer-check has it");
	cr_expect_float_eq(value(&r.all, RERUN_ALL_ALIKE), 0, 1e-9);
	cr_expect_eq(r.distinct, 2);
	reruns_finish(&r);
}

Test(reruns, a_prompt_counts_once_however_many_answers_it_has)
{
	struct reruns r = {0};
	add(&r, 1, "aaaaaaaaaa", NULL);
	add(&r, 2, "ab", NULL);
	cr_expect_float_eq(value(&r.all, RERUN_ALL_ALIKE), 0.5, 1e-9);
	cr_expect_float_eq(value(&r.all, RERUN_MODE), 0.75, 1e-9);
	cr_expect_float_eq(value(&r.all, RERUN_AGREE), 0.5, 1e-9);
	cr_expect_eq(r.all.prompts, 2);
	cr_expect_eq(r.all.answers, 12);
	reruns_finish(&r);
}

Test(reruns, a_prompt_with_one_answer_says_nothing)
{
	struct reruns r = {0};
	add(&r, 1, "a", NULL);
	cr_expect_eq(r.all.prompts, 0);
	cr_expect(isnan(value(&r.all, RERUN_MODE)));
	reruns_finish(&r);
}

Test(reruns, levels_are_alike_within_and_apart_from_each_other)
{
	struct reruns r = {0};
	struct estimate by[N_RERUN_PAIRS];
	struct reruns_gaps gaps;
	for (uint8_t i = 1; i <= 20; i++) {
		add(&r, i, "aaaBBB", NULL);
	}
	reruns_estimate_pairs(&r, by);
	reruns_estimate_gaps(&r, &gaps);
	cr_expect_float_eq(value(&r.levels[0], RERUN_ALL_ALIKE), 1, 1e-9);
	cr_expect_float_eq(value(&r.levels[1], RERUN_ALL_ALIKE), 1, 1e-9);
	cr_expect_float_eq(value(&r.all, RERUN_ALL_ALIKE), 0, 1e-9);
	cr_expect_float_eq(by[RERUN_SAME_LEVEL].value, 1, 1e-9);
	cr_expect_float_eq(by[RERUN_OTHER_LEVEL].value, 0, 1e-9);
	cr_expect_float_eq(gaps.level.value, 1, 1e-9);
	cr_expect_gt(gaps.level.ci.low, 0.5);
	cr_expect(isnan(gaps.cache.value), "nothing is told of caches");
	reruns_finish(&r);
}

Test(reruns, a_levels_noise_is_not_taken_for_the_caches)
{
	struct reruns r = {0};
	struct reruns_gaps gaps;
	/* Level 0 agrees always and is cached alike; level 1 never agrees, whatever is cached. */
	for (uint8_t i = 1; i <= 20; i++) {
		add(&r, i, "aaaBCDE", "\1\1\1\0\0\1\1");
	}
	reruns_estimate_gaps(&r, &gaps);
	cr_expect_float_eq(gaps.cache.value, 0, 1e-9);
	reruns_finish(&r);
	for (uint8_t i = 1; i <= 20; i++) {
		add(&r, i, "abbb", "\0\1\1\1"); /* cold, then warm */
	}
	reruns_estimate_gaps(&r, &gaps);
	cr_expect_float_eq(gaps.cache.value, 1, 1e-9);
	reruns_finish(&r);
}

Test(reruns, the_least_alike_prompts_are_kept_with_where_they_part)
{
	struct reruns r = {0};
	for (uint8_t i = 1; i <= 30; i++) {
		add(&r, i, i == 17 ? "abcd" : "aaab", NULL);
	}
	cr_expect_eq(r.n_worst, RERUNS_WORST);
	cr_expect_eq(r.worst[0].exchange.bytes[0], 17);
	cr_expect_eq(r.worst[0].distinct, 4);
	cr_expect_eq(r.worst[1].of_mode, 3);
	cr_expect_str_eq(r.worst[0].item, "item");
	cr_expect_eq(r.worst[0].first, 0);
	cr_expect_not(r.worst[0].has_token);
	cr_expect_eq(r.most_distinct, 4);
	reruns_finish(&r);
}

Test(reruns, a_first_differing_token_is_kept_whatever_byte_another_answer_differs_at)
{
	static const char *const words[] = {"one two", "one two", "one six", "xne"};
	struct reruns r = {0};
	struct rerun_answer answers[ARRAY_LEN(words)];
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct choice *c = &choices[i];
		says(i, words[i]);
		if (i < 3) {
			struct columns_builder *b = columns_builder_create();
			columns_builder_token(b, span_of("one"), -1, -1, 0);
			columns_builder_token(b, span_of(words[i] + 3), -1, -1, 0);
			columns_builder_end(b, &c->columns);
			c->has_columns = true;
		}
		answers[i] = (struct rerun_answer){c, 0, -1};
	}
	reruns_add(&r, (uint8_t[CLUSTERS_KEY_SIZE]){1}, (struct id){{1}}, "item", answers,
	        ARRAY_LEN(answers));
	cr_assert_eq(r.n_worst, 1);
	cr_expect(r.worst[0].has_token);
	cr_expect_eq(r.worst[0].first, 1);
	cr_expect_str_eq(r.worst[0].other_token, " six");
	for (size_t i = 0; i < 3; i++) {
		columns_finish(&choices[i].columns);
	}
	forget();
	reruns_finish(&r);
}
