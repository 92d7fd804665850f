/* Every block of sums gives the same bytes, in whatever order values are added. */
#include <math.h>

#include "any_order.h"

#include "analyzer/stats/clusters.h"
#include "analyzer/stats/crossing.h"
#include "analyzer/stats/exact_sum.h"
#include "analyzer/fold/charts.h"
#include "analyzer/stats/sketch.h"
#include "analyzer/stats/stats.h"
#include "analyzer/stats/survival.h"
#include "analyzer/stats/two_sample.h"
#include "base/check.h"

static void total_add(void *block, uint64_t number)
{
	double values[] = {any_order_value(number), INFINITY, NAN, -1e300};
	exact_sum_add(block, values[number % 97 == 0 ? 1 + number % 3 : 0]);
}

static void total_say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct exact_sum));
}

Test(any_order, exact_sum)
{
	any_order_check(
	        &(struct any_order){sizeof(struct exact_sum), 20000, total_add, total_say, NULL});
}

Test(exact_sum, it_rounds_once_and_limits_values)
{
	struct exact_sum s = {0};
	for (int i = 0; i < 1000; i++) {
		exact_sum_add(&s, 0.1);
		exact_sum_add(&s, 1e9 + 0.5);
		exact_sum_add(&s, -1e9 - 0.5);
	}
	cr_expect_float_eq(exact_sum_value(&s), 100, 1e-12);
	exact_sum_add(&s, NAN);
	exact_sum_add(&s, -INFINITY);
	cr_expect_float_eq(exact_sum_value(&s), 100, 1e-12);
	exact_sum_add(&s, -1e300);
	cr_expect_float_eq(exact_sum_value(&s), 100 - EXACT_SUM_LIMIT, 1e-5);
}

Test(moments, they_count_values_that_the_sums_cannot_hold)
{
	struct moments m = {0};
	moments_add(&m, 1e6); /* its square is beyond the limit */
	cr_expect(m.saturated == 1 && m.not_finite == 0);
	moments_add(&m, NAN);
	cr_expect(m.saturated == 1 && m.not_finite == 2);
	cr_expect(isnan(moments_mean(&m)));
}

static void moments_add_number(void *block, uint64_t number)
{
	moments_add(block, any_order_value(number));
}

static void moments_say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct moments));
}

Test(any_order, moments)
{
	any_order_check(&(struct any_order){
	        sizeof(struct moments), 5000, moments_add_number, moments_say, NULL});
}

#define FIGURES 2
#define FEW 300
#define LIMIT 256

/* number: of which there are some for each of the keys. */
static void key_of(uint64_t number, uint64_t keys, uint8_t ret[CLUSTERS_KEY_SIZE])
{
	uint64_t words[2] = {number % keys, 7};
	memcpy(ret, words, sizeof(words));
}

struct holder {
	struct clusters *clusters;
};

static void add_to_clusters(struct holder *k, uint64_t number, uint64_t keys, uint32_t limit)
{
	uint8_t key[CLUSTERS_KEY_SIZE];
	if (!k->clusters) {
		k->clusters = clusters_create_limited(FIGURES, limit);
	}
	key_of(number, keys, key);
	uint32_t row = clusters_row(k->clusters, key);
	clusters_add(k->clusters, row, 0, number % 3 == 0, 1);
	clusters_add(k->clusters, row, 1, any_order_value(number), 1);
}

static void clusters_add_number(void *block, uint64_t number)
{
	add_to_clusters(block, number, FEW, 2 * FEW);
}

static void clusters_add_many(void *block, uint64_t number)
{
	add_to_clusters(block, number, 5000, LIMIT);
}

static void clusters_say(void *block, struct buf *to)
{
	const struct clusters *c = ((struct holder *)block)->clusters;
	struct estimate each[FIGURES], rate;
	double number = clusters_number(c);
	size_t count = clusters_count(c);
	clusters_estimate_each(c, FIGURES, each);
	clusters_estimate_rate(c, 0, &rate);
	struct ratio total = clusters_total(c, 1);
	any_order_put(to, each, sizeof(each));
	any_order_put(to, &rate, sizeof(rate));
	any_order_put(to, &total, sizeof(total));
	any_order_put(to, &number, sizeof(number));
	any_order_put(to, &count, sizeof(count));
}

static void clusters_finish(void *block)
{
	clusters_destroy(((struct holder *)block)->clusters);
}

Test(any_order, clusters)
{
	any_order_check(&(struct any_order){
	        sizeof(struct holder), 3000, clusters_add_number, clusters_say, clusters_finish});
}

Test(any_order, clusters_that_are_grouped)
{
	/* From just above the limit to many times as many. */
	static const size_t VALUES[] = {LIMIT, LIMIT + 1, LIMIT + 2, 2 * LIMIT, 5000, 20000};
	for (size_t i = 0; i < ARRAY_LEN(VALUES); i++) {
		any_order_check(&(struct any_order){sizeof(struct holder), VALUES[i],
		        clusters_add_many, clusters_say, clusters_finish});
	}
}

struct table {
	struct holder prompts;
	struct crossing seeds;
};

static void table_add(struct table *t, uint64_t number, uint64_t seeds)
{
	uint8_t key[CLUSTERS_KEY_SIZE];
	add_to_clusters(&t->prompts, number / seeds, FEW, 2 * FEW);
	key_of(number / seeds, FEW, key);
	struct crossing_cell at =
	        crossing_cell_for(&t->seeds, FIGURES, key, (int64_t)(number % seeds));
	crossing_add(&t->seeds, at, 0, number % 3 == 0, 1);
	crossing_add(&t->seeds, at, 1, any_order_value(number), 1);
}

static void crossing_add_number(void *block, uint64_t number)
{
	table_add(block, number, 12);
}

static void crossing_add_beyond(void *block, uint64_t number)
{
	table_add(block, number, CROSSING_MOST + 3);
}

static void crossing_say(void *block, struct buf *to)
{
	struct table *t = block;
	struct crossing_part part = {0};
	bool known = crossing_estimate(&t->seeds, t->prompts.clusters, 0, &part);
	any_order_put(to, &known, sizeof(known));
	any_order_put(to, &part, sizeof(part));
	any_order_put(to, &t->seeds.beyond, sizeof(t->seeds.beyond));
	clusters_say(&t->prompts, to);
}

static void crossing_finish_all(void *block)
{
	struct table *t = block;
	clusters_finish(&t->prompts);
	crossing_finish(&t->seeds);
}

Test(any_order, crossing)
{
	any_order_check(&(struct any_order){sizeof(struct table), 3000, crossing_add_number,
	        crossing_say, crossing_finish_all});
	any_order_check(&(struct any_order){sizeof(struct table), 3000, crossing_add_beyond,
	        crossing_say, crossing_finish_all});
}

/* How many values come with each key. */
#define TIMES 3

static void sketch_add_number(void *block, uint64_t number)
{
	sketch_add(block, number / TIMES);
}

static void sketch_say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct sketch));
}

Test(any_order, sketch)
{
	any_order_check(&(struct any_order){
	        sizeof(struct sketch), 5000, sketch_add_number, sketch_say, NULL});
}

static void scatter_add_number(void *block, uint64_t number)
{
	/* Some points have one key, and some of these one exchange. */
	struct scatter_point point = {.exchange = {.bytes = {number % 2}},
	        .x = (float)any_order_value(number),
	        .y = (float)number,
	        .marks = (uint32_t)number % 5};
	scatter_add(block, number / TIMES, point);
}

static void scatter_say(void *block, struct buf *to)
{
	struct scatter *s = block;
	any_order_put(to, &s->n, sizeof(s->n));
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		any_order_put(to, p, offsetof(struct scatter_point, marks) + sizeof(p->marks));
	}
}

static void scatter_finish_all(void *block)
{
	scatter_finish(block);
}

Test(any_order, scatter)
{
	static const size_t VALUES[] = {100, SCATTER_SIZE, SCATTER_SIZE + 1, 20000};
	for (size_t i = 0; i < ARRAY_LEN(VALUES); i++) {
		any_order_check(&(struct any_order){sizeof(struct scatter), VALUES[i],
		        scatter_add_number, scatter_say, scatter_finish_all});
	}
}

static void survival_add_number(void *block, uint64_t number)
{
	survival_add(block, mixed(number) >> 32 >> number % 30, number % 3 == 0);
}

static void say_step(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	any_order_put(arg, &tokens, sizeof(tokens));
	any_order_put(arg, &share, sizeof(share));
	any_order_put(arg, &at_risk, sizeof(at_risk));
}

static void survival_say(void *block, struct buf *to)
{
	survival_steps(block, say_step, to);
}

static void survival_finish_all(void *block)
{
	survival_finish(block);
}

Test(any_order, survival)
{
	any_order_check(&(struct any_order){sizeof(struct survival), 3000, survival_add_number,
	        survival_say, survival_finish_all});
}

/* A side's answers. */
static void side_add(void *block, uint64_t number)
{
	struct choice c = {.index = (int32_t)(number % 3)};
	struct id leg = {0};
	memcpy(leg.bytes, &number, sizeof(number));
	buf_printf(&c.text, "answer %d of this", (int)(mixed(number) >> 32) % 5);
	two_sample_add(block, leg, &c);
	buf_finish(&c.text);
}

static void prompt_of(uint64_t number, struct two_sample_prompt *ret)
{
	for (uint64_t i = 0; i < 20; i++) {
		side_add(i % 2 ? &ret->base : &ret->test, 20 * number + (i + number) % 20);
	}
}

static void two_sample_add_prompt(void *block, uint64_t number)
{
	static struct two_sample_prompt prompt;
	prompt = (struct two_sample_prompt){0};
	prompt_of(number, &prompt);
	struct two_sample_result result;
	two_sample_test(&prompt, number, &result);
	two_sample_add_result(block, &result);
}

static void two_sample_say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct two_sample));
}

Test(any_order, two_sample)
{
	any_order_check(&(struct any_order){
	        sizeof(struct two_sample), 20, two_sample_add_prompt, two_sample_say, NULL});
}

Test(two_sample, the_same_answers_are_kept_in_any_order)
{
	static struct two_sample_side forth, back;
	for (uint64_t i = 0; i < 50; i++) {
		side_add(&forth, i);
		side_add(&forth, i / 2);
		side_add(&back, 49 - i);
	}
	cr_assert_eq(forth.n, TWO_SAMPLE_EACH);
	cr_assert_eq(memcmp(forth.answers, back.answers, sizeof(back.answers)), 0);
}
