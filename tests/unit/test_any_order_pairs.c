/* Like test_any_order.c, for sums of pairs of answers. */
#include <math.h>
#include <stdio.h>

#include "analyzer/stats/counts.h"
#include "any_order.h"

#include "analyzer/fold/excess.h"
#include "analyzer/fold/cause_prompt.h"
#include "analyzer/causes/cause_change.h"
#include "analyzer/fold/example.h"
#include "analyzer/fold/facet.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/fold/pair_sums.h"
#include "analyzer/fold/openings.h"
#include "analyzer/fold/charts.h"
#include "analyzer/fold/decoding_differences.h"
#include "backends/dialects/dialect.h"
#include "base/check.h"

static void timeline_add_number(void *block, uint64_t number)
{
	const struct timeline_answer answer = {
	        .time = UINT64_C(1700000000) + mixed(number) % (number % 40 ? 1000 : 100000000),
	        .exchange = {.bytes = {(uint8_t)mixed(number), (uint8_t)number}},
	        .differs = number % 3 == 0,
	        .changed = number % 6 == 0,
	};
	timeline_add(block, 96, &answer);
}

static void timeline_say(void *block, struct buf *to)
{
	const struct timeline *t = block;
	any_order_put(to, &t->shift, sizeof(t->shift));
	any_order_put(to, t->bins, t->n * sizeof(*t->bins));
}

static void timeline_finish_all(void *block)
{
	timeline_finish(block);
}

Test(any_order, timeline)
{
	static const size_t VALUES[] = {50, 200, 5000};
	for (size_t i = 0; i < ARRAY_LEN(VALUES); i++) {
		any_order_check(&(struct any_order){sizeof(struct timeline), VALUES[i],
		        timeline_add_number, timeline_say, timeline_finish_all});
	}
}

/* Two of each: what is judged, and its floor. */
static void first_differences_add_number(void *block, uint64_t number)
{
	struct first_differences *f = block;
	double shift = fmin(fabs(any_order_value(number)), 100);
	struct first first = {
	        .shift = number % 11 == 0 ? NAN : shift, .test_censored = number % 7 == 0};
	first_differences_add(&f[number % 2], &first);
}

static void first_differences_say(void *block, struct buf *to)
{
	const struct first_differences *f = block;
	struct first_differences_verdict v = {0};
	first_differences_judge(&f[0], 0.01, &f[1], &v);
	any_order_put(to, &v, sizeof(v));
}

static void first_differences_finish_all(void *block)
{
	struct first_differences *f = block;
	first_differences_finish(&f[0]);
	first_differences_finish(&f[1]);
}

Test(any_order, firsts)
{
	any_order_check(&(struct any_order){2 * sizeof(struct first_differences), 3000,
	        first_differences_add_number, first_differences_say, first_differences_finish_all});
}

static void meanings_add(void *block, uint64_t number)
{
	struct meaning m = {.rung = number % N_RUNGS,
	        .class = number % N_MEANING_CLASSES,
	        .basis = number % N_MEANING_BASES,
	        .base_gold = GOLD_RIGHT,
	        .test_gold = GOLD_WRONG,
	        .calls = {.base = (uint32_t)number % 3, .matched = number % 3 == 2}};
	meaning_counts_add(block, &m);
}

static void meanings_say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct meaning_counts));
}

Test(any_order, meaning_counts)
{
	any_order_check(&(struct any_order){
	        sizeof(struct meaning_counts), 1000, meanings_add, meanings_say, NULL});
}

static void sums_add_number(void *block, uint64_t number)
{
	struct pair_row row = {.c = {.base = {.tokens = (int64_t)(number % 40), .finish = "stop"},
	                               .test = {.tokens = (int64_t)(mixed(number) >> 40)},
	                               .first_byte = (uint32_t)(number * number),
	                               .differ = number % 2}};
	struct pair_facts facts;
	/* More kinds of ends than are kept. */
	row.c.test.finish[0] = (char)('a' + mixed(number) % 26);
	row.c.positions = (struct positions){.has_tokens = true,
	        .has_first_token = number % 3 == 0,
	        .first_token = (uint32_t)number % 100,
	        .comparable = 100,
	        .divergence_index = 1 / (1 + (double)number)};
	memcpy(row.exchange.cluster, &number, sizeof(number));
	pair_facts_of(&row.c, &facts);
	pair_sums_add(block, &row, &facts);
}

static void sums_say(void *block, struct buf *to)
{
	const struct pair_sums *t = block;
	for (double q = 0; q <= 1; q += 0.1) {
		uint64_t value = histogram_quantile(&t->first_byte, q);
		any_order_put(to, &value, sizeof(value));
	}
	struct ratio index = pair_sums_total(t, FIGURE_DIVERGENCE_INDEX);
	any_order_put(to, &index, sizeof(index));
	any_order_put(to, t->finishes, t->n_finishes * sizeof(*t->finishes));
	any_order_put(to, &t->finishes_beyond, sizeof(t->finishes_beyond));
	any_order_put(to, &t->tokens, sizeof(t->tokens));
}

static void sums_finish_all(void *block)
{
	pair_sums_finish(block);
}

Test(any_order, sums_of_pairs)
{
	any_order_check(&(struct any_order){
	        sizeof(struct pair_sums), 2000, sums_add_number, sums_say, sums_finish_all});
}

static void facets_add_number(void *block, uint64_t number)
{
	uint8_t key[CLUSTERS_KEY_SIZE];
	char name[FACET_NAME_SIZE];
	const int64_t seed = (int64_t)(number % 8);
	struct pair_facts facts = {.differ = number % 3 == 0,
	        .decided = number % 5 > 0,
	        .at_risk = 1 + number % 30,
	        .divergence_index = 1 / (1 + (double)number)};
	memset(key, 0, sizeof(key));
	memcpy(key, &(uint64_t){number % 2000}, sizeof(uint64_t));
	/* More values than are kept, some of numbers. */
	snprintf(name, sizeof(name), "v%d", (int)(mixed(number) >> 32) % (2 * FACET_VALUES));
	facets_add(block, FACET_MODEL, name, NAN, (struct facet_source){key, NULL}, &facts);
	facets_add(block, FACET_TIME, name, (int)(mixed(number) >> 32) % (2 * FACET_VALUES),
	        (struct facet_source){key, &seed}, &facts);
}

static void facets_say(void *block, struct buf *to)
{
	struct facets *f = block;
	facets_settle(f);
	for (size_t k = 0; k < N_FACETS; k++) {
		const struct facet_list *of = &f->of[k];
		any_order_put(to, &of->beyond, sizeof(of->beyond));
		for (size_t i = 0; i < of->n; i++) {
			any_order_put(to, of->items[i].name, strlen(of->items[i].name));
			any_order_put(to, &of->items[i].pairs, sizeof(of->items[i].pairs));
			any_order_put(to, &of->items[i].differ, sizeof(of->items[i].differ));
			any_order_put(to, &of->items[i].seeds, sizeof(of->items[i].seeds));
			any_order_put(to, of->items[i].values, sizeof(of->items[i].values));
		}
	}
}

static void facets_finish_all(void *block)
{
	facets_finish(block);
}

Test(any_order, facets)
{
	any_order_check(&(struct any_order){
	        sizeof(struct facets), 3000, facets_add_number, facets_say, facets_finish_all});
}

static void unlikes_add(void *block, uint64_t number)
{
	struct decoding_reason reason = {.what = DECODING_PARAMETER,
	        .parameter = PARAMETER_TEMPERATURE,
	        .base = number % 5 ? (double)(mixed(number) % 9) : NAN,
	        .test = 1,
	        .test_default = number % 2};
	decoding_differences_add(
	        block, &reason, dialect_find(number % 3 ? "vllm" : "ollama"), dialect_find("vllm"));
}

static void unlikes_say(void *block, struct buf *to)
{
	char *text = decoding_differences_text(block);
	any_order_put(to, text, strlen(text));
	free(text);
}

static void unlikes_finish(void *block)
{
	decoding_differences_finish(block);
}

Test(any_order, unlikes)
{
	any_order_check(&(struct any_order){sizeof(struct decoding_differences), 500, unlikes_add,
	        unlikes_say, unlikes_finish});
}

static void examples_add(void *block, uint64_t number)
{
	/* Texts without tokens; many differ as early. */
	struct choice base = {0}, test = {0};
	struct id exchange = {.bytes = {(uint8_t)mixed(number / 2)}};
	struct first_difference difference;
	buf_printf(&base.text, "%.*sbase", (int)(2 + number % 3), "xxxxx");
	buf_printf(&test.text, "%.*stest %d", (int)(2 + number % 3), "xxxxx", (int)number % 2);
	first_difference_find(&base, &test, &difference);
	examples_consider(block, exchange, &base, &test, &difference);
	buf_finish(&base.text);
	buf_finish(&test.text);
}

static void examples_say(void *block, struct buf *to)
{
	const struct example *e = &((struct examples *)block)->widest;
	any_order_put(to, &e->exchange, sizeof(e->exchange));
	any_order_put(to, &e->position, sizeof(e->position));
	any_order_put(to, e->base.text, strlen(e->base.text));
	any_order_put(to, e->test.text, strlen(e->test.text));
}

Test(any_order, examples)
{
	any_order_check(&(struct any_order){
	        sizeof(struct examples), 200, examples_add, examples_say, NULL});
}

static void excess_add_number(void *block, uint64_t number)
{
	uint64_t key[2] = {number % 2000};
	struct pair_facts facts = {.differ = mixed(number) % 3 == 0,
	        .decided = true,
	        .at_risk = 1 + number % 30,
	        .tops = number % 50,
	        .tops_equal = number % 50 / 2};
	enum excess_pair pair = (enum excess_pair)(mixed(number) >> 40) % N_EXCESS_PAIRS;
	excess_add(block, (const uint8_t *)key, pair, &facts);
}

static void excess_say(void *block, struct buf *to)
{
	struct excess_verdict v[N_EXCESSES];
	excess_judge(block, NULL, v);
	for (size_t f = 0; f < N_EXCESSES; f++) {
		any_order_put(to, &v[f].excess, sizeof(v[f].excess));
		any_order_put(to, &v[f].p, sizeof(v[f].p));
		any_order_put(to, &v[f].needed, sizeof(v[f].needed));
	}
}

static void excess_finish_all(void *block)
{
	excess_finish(block);
}

Test(any_order, excess)
{
	any_order_check(&(struct any_order){
	        sizeof(struct excess), 3000, excess_add_number, excess_say, excess_finish_all});
}

static void openings_add_number(void *block, uint64_t number)
{
	uint64_t key[2] = {number % 500};
	double values[N_OPENINGS];
	for (size_t i = 0; i < N_OPENINGS; i++) {
		values[i] = number % 7 == i ? NAN : fabs(any_order_value(number + i));
	}
	values[OPENING_SAME_TOP] = number % 2;
	openings_add(block, (const uint8_t *)key, values);
}

static void openings_say(void *block, struct buf *to)
{
	struct openings *o = block;
	openings_settle(o);
	any_order_put(to, o->values, sizeof(o->values));
}

static void openings_finish_all(void *block)
{
	openings_finish(block);
}

Test(any_order, openings)
{
	any_order_check(&(struct any_order){sizeof(struct openings), 3000, openings_add_number,
	        openings_say, openings_finish_all});
}

static void prompts_add(void *block, uint64_t number)
{
	struct cause_prompt_pair pair = {.base = (int64_t)(mixed(number) % 1000),
	        .test = (int64_t)(mixed(number + 1) % 1000),
	        .messages = (uint32_t)number % 9,
	        .differ = number % 2};
	struct cause_prompts *p = block;
	cause_prompt_add(&p->of[cause_prompt_group_of(&pair)], &pair);
}

static void prompts_say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct cause_prompts));
}

Test(any_order, cause_prompts)
{
	any_order_check(&(struct any_order){
	        sizeof(struct cause_prompts), 500, prompts_add, prompts_say, NULL});
}
