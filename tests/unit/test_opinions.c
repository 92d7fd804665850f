#include "analyzer/opinions/opinions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "any_order.h"

#define LEGS 8

/* An exchange with two answers and judges' verdicts. */
struct scene {
	struct capture_exchange e;
	struct capture_leg legs[LEGS];
	struct reading *readings[LEGS];
};

static struct id id_of(unsigned n)
{
	return (struct id){{(uint8_t)n}};
}

static void setup(struct scene *s)
{
	*s = (struct scene){.e = {.n_legs = 2}};
	s->e.legs = s->legs;
	s->legs[0].row.id = id_of(1);
	s->legs[1].row.id = id_of(2);
}

static const char *replying_model = "wise-1";

static struct reading *reply(const char *text)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_CHAT, .status = 200, .framing = FRAMING_UNARY};
	struct reader *r = reader_create(&hints);
	char *body = xasprintf("{\"model\":\"%s\",\"choices\":[{\"index\":0,\"message\":{"
	                       "\"content\":\"%s\"},\"finish_reason\":\"stop\"}]}",
	        replying_model, text);
	reader_feed(r, body, strlen(body));
	free(body);
	return reader_end(r, true);
}

static struct leg_row *says(struct scene *s, const char *judge, bool base_first, const char *text)
{
	size_t n = s->e.n_legs++;
	struct leg_row *row = &s->legs[n].row;
	*row = (struct leg_row){
	        .id = id_of((unsigned)n + 1),
	        .backend = (char *)(uintptr_t)judge,
	        .outcome = OUTCOME_COMPLETE,
	        .marks = LEG_SCORED | LEG_JUDGING,
	        .start_ns = n,
	        .score_of = id_of(base_first ? 1 : 2),
	        .judged_against = id_of(base_first ? 2 : 1),
	};
	s->readings[n] = reply(text);
	return row;
}

static const struct reading *reading_of(void *arg, size_t leg)
{
	return ((struct scene *)arg)->readings[leg];
}

static void note(struct scene *s, struct opinions *to, enum meaning_class class, unsigned cluster)
{
	const struct opinion_source source = {&s->e, s, reading_of};
	const struct pair pair = {0, 1};
	struct opinion_row rows[OPINIONS_JUDGES];
	size_t n = opinions_of_pair(&source, &pair, 0, class, rows);
	for (size_t i = 0; i < n; i++) {
		rows[i].cluster[0] = (uint8_t)cluster;
		rows[i].cluster[1] = 1;
		opinions_add(to, &rows[i]);
	}
}

static void finish(struct scene *s)
{
	for (size_t i = 0; i < LEGS; i++) {
		reading_destroy(s->readings[i]);
	}
}

/* One pair of class, both orders, by the judge "wise". */
static void add(struct opinions *to, enum meaning_class class, const char *one, const char *other,
        unsigned cluster)
{
	struct scene s;
	setup(&s);
	says(&s, "wise", true, one);
	says(&s, "wise", false, other);
	note(&s, to, class, cluster);
	finish(&s);
}

/* The result of the rules if they decide no pair of these clusters. */
static struct clusters *undecided(unsigned from, unsigned to)
{
	struct clusters *c = clusters_create(N_OPINION_COLUMNS);
	for (unsigned i = from; i < to; i++) {
		uint8_t key[CLUSTERS_KEY_SIZE] = {(uint8_t)i};
		clusters_add(c, clusters_row(c, key), OPINION_CHANGED, 0, 1);
		clusters_add(c, clusters_row(c, key), OPINION_MAY_CHANGE, 1, 1);
	}
	return c;
}

Test(opinions, both_orders_must_say_the_same)
{
	struct opinions o = {0};
	add(&o, MEANING_UNDECIDED, "same", "same", 1);
	add(&o, MEANING_UNDECIDED, "different", "different", 2);
	add(&o, MEANING_UNDECIDED, "same", "different", 3);
	add(&o, MEANING_UNDECIDED, "different", "cannot_tell", 4);
	add(&o, MEANING_UNDECIDED, "cannot_tell", "cannot_tell", 5);
	add(&o, MEANING_UNDECIDED, "well", "who knows", 6);
	const struct judge_opinions *j = &o.judges[0];
	cr_assert_eq(o.n, 1);
	cr_assert_str_eq(judge_opinions_model(j), "wise-1");
	cr_assert_eq(j->undecided[OPINION_END_SAME], 1);
	cr_assert_eq(j->undecided[OPINION_END_DIFFERENT], 1);
	cr_assert_eq(j->undecided[OPINION_END_ORDER_DEPENDENT], 2);
	cr_assert_eq(j->undecided[OPINION_END_CANNOT_TELL], 2);
	cr_assert_eq(j->unclear, 2);
	struct clusters *ladder = undecided(1, 7);
	opinions_settle(&o, ladder);
	clusters_destroy(ladder);
	cr_assert_eq(j->with_judge.n, 6);
	cr_assert_float_eq(j->with_judge.value, 1.0 / 6, 1e-12, "the one that is different");
	cr_assert_float_eq(j->with_judge.most, 5.0 / 6, 1e-12, "all but the one that is the same");
	opinions_finish(&o);
}

Test(opinions, what_the_ladder_decided_is_compared_and_not_counted)
{
	struct opinions o = {0};
	add(&o, MEANING_WORDING, "same", "same", 1);
	add(&o, MEANING_FORMAT, "different", "different", 2);
	add(&o, MEANING_ANSWER_CHANGED, "different", "different", 3);
	add(&o, MEANING_ANSWER_CHANGED, "different", "same", 4);
	struct clusters *ladder = clusters_create(N_OPINION_COLUMNS);
	uint8_t key[CLUSTERS_KEY_SIZE] = {9};
	clusters_add(ladder, clusters_row(ladder, key), OPINION_CHANGED, 1, 4);
	opinions_settle(&o, ladder);
	const struct judge_opinions *j = &o.judges[0];
	cr_assert_eq(j->with_judge.n, 4);
	cr_assert_eq(j->with_judge.value, 0.25);
	cr_assert_eq(j->agreement.n, 3);
	cr_assert_eq(j->agreement.agree, 2);
	cr_assert_eq(j->checks[1][OPINION_END_ORDER_DEPENDENT], 1);
	clusters_destroy(ladder);
	opinions_finish(&o);
}

Test(opinions, a_pair_judged_in_one_order_is_unfinished)
{
	struct opinions o = {0};
	struct scene s;
	setup(&s);
	says(&s, "wise", true, "same");
	says(&s, "wise", false, "same")->marks |= LEG_TRUNCATED;
	note(&s, &o, MEANING_UNDECIDED, 1);
	cr_assert_eq(o.judges[0].unfinished, 1);
	cr_assert_eq(o.judges[0].undecided[OPINION_END_SAME], 0);
	finish(&s);
	opinions_finish(&o);
}

Test(opinions, the_newest_reply_counts_and_judges_are_kept_apart)
{
	struct opinions o = {0};
	struct scene s;
	setup(&s);
	says(&s, "wise", true, "same");
	says(&s, "wise", false, "same");
	says(&s, "wise", true, "different");
	says(&s, "other", true, "different");
	says(&s, "other", false, "different");
	note(&s, &o, MEANING_UNDECIDED, 1);
	cr_assert_eq(o.n, 2);
	cr_assert_str_eq(o.judges[0].name, "other");
	cr_assert_eq(o.judges[0].undecided[OPINION_END_DIFFERENT], 1);
	cr_assert_eq(o.judges[1].undecided[OPINION_END_ORDER_DEPENDENT], 1);
	finish(&s);
	opinions_finish(&o);
}

Test(opinions, replies_about_other_choices_and_other_answers_do_not_count)
{
	struct opinions o = {0};
	struct scene s;
	setup(&s);
	says(&s, "wise", true, "same")->score_at = 1;
	says(&s, "wise", false, "same")->judged_against = id_of(7);
	note(&s, &o, MEANING_UNDECIDED, 1);
	cr_assert_eq(o.n, 0);
	finish(&s);
	opinions_finish(&o);
}

Test(opinions, what_a_judge_decides_is_added_to_the_ladder)
{
	struct opinions all = {0};
	static const char *const said[] = {"same", "different", "different"};
	for (unsigned i = 0; i < 30; i++) {
		add(&all, MEANING_UNDECIDED, said[i % 3], said[i % 3], i);
	}
	struct clusters *ladder = undecided(0, 30);
	opinions_settle(&all, ladder);
	clusters_destroy(ladder);
	const struct figure_value *x = &all.judges[0].with_judge;
	cr_assert_eq(x->n, 30);
	cr_assert_float_eq(x->value, 20.0 / 30, 1e-12);
	cr_assert_float_eq(x->most, 20.0 / 30, 1e-12, "none is left open");
	cr_assert_eq(x->clusters, 30);
	opinions_finish(&all);
}

Test(opinions, models_are_counted_by_name)
{
	static const char *const MODELS[] = {
	        "a", "b", "b", "b", "b", "a", "a", "c", "c", "c", "d", "d", "e", "e", "b"};
	struct opinions whole = {0};
	for (size_t i = 0; i < ARRAY_LEN(MODELS); i++) {
		replying_model = MODELS[i];
		add(&whole, MEANING_UNDECIDED, "SAME", "SAME", (unsigned)i);
	}
	cr_assert_str_eq(judge_opinions_model(&whole.judges[0]), "b");
	cr_assert_eq(judge_opinions_other_models(&whole.judges[0]), 2 * 10);
	opinions_finish(&whole);
}

/* A standard example of Cohen's kappa: 20 + 15 of 50 agree, 0.5 by chance. */
Test(opinions, kappa_is_agreement_beyond_chance)
{
	static const uint64_t table[2][2] = {{20, 5}, {10, 15}};
	struct opinion_agreement a;
	opinion_agreement(table, &a);
	cr_assert_eq(a.agree, 35);
	cr_assert_float_eq(a.kappa, 0.4, 1e-12);
	/* The mid-P interval of 35 of 50 is 0.5630 to 0.8145. */
	cr_assert_float_eq(a.kappa_ci.low, 0.1259, 2e-4);
	cr_assert_float_eq(a.kappa_ci.high, 0.6289, 2e-4);
}

Test(opinions, without_a_choice_there_is_no_kappa)
{
	static const uint64_t none[2][2] = {{0}}, one_sided[2][2] = {{9, 0}, {0, 0}};
	struct opinion_agreement a;
	opinion_agreement(none, &a);
	cr_assert(isnan(a.kappa));
	cr_assert_eq(a.n, 0);
	opinion_agreement(one_sided, &a);
	cr_assert(isnan(a.kappa) && isnan(a.kappa_ci.low));
	cr_assert_eq(a.agree, 9);
}

static void add_number(void *block, uint64_t i)
{
	static const char *const names[] = {"f", "b", "e", "a", "d", "c"};
	struct opinion_row row = {
	        .cluster = {(uint8_t)(i % 60)},
	        .judge = names[i % 6],
	        .ladder = i % 4 ? MEANING_UNDECIDED : (enum meaning_class)(i % N_MEANING_CLASSES),
	        .unfinished = i % 11 == 0,
	        .models = {i % 3 ? names[i % 5] : NULL, names[i % 2]},
	        .unclear = i % 3,
	        .end = (enum opinion_end)(i / 7 % N_OPINION_ENDS),
	};
	opinions_add(block, &row);
}

static void say(void *block, struct buf *to)
{
	struct opinions *o = block;
	struct clusters *ladder = undecided(0, 60);
	opinions_settle(o, ladder);
	clusters_destroy(ladder);
	buf_printf(to, "%lu", o->beyond);
	for (size_t i = 0; i < o->n; i++) {
		const struct judge_opinions *j = &o->judges[i];
		buf_printf(to, "\n%s %s %lu %lu %lu %.17g %.17g %.17g %.17g", j->name,
		        judge_opinions_model(j), judge_opinions_other_models(j), j->unfinished,
		        j->unclear, j->with_judge.value, j->with_judge.ci.low,
		        j->with_judge.ci.high, j->agreement.kappa);
		for (size_t e = 0; e < N_OPINION_ENDS; e++) {
			buf_printf(to, " %lu %lu %lu", j->undecided[e], j->checks[0][e],
			        j->checks[1][e]);
		}
	}
}

static void finish_block(void *block)
{
	opinions_finish(block);
}

Test(opinions, order_does_not_matter)
{
	const struct any_order m = {sizeof(struct opinions), 1000, add_number, say, finish_block};
	any_order_check(&m);
}
