/* Rows of a capture give the same figures in any order and in any parts, also with more
 * names than the fold distinguishes. */
#include "analyzer/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "any_order.h"
#include "base/mem.h"
#include "base/rng.h"

#define ROWS 4000

/* Texts of a row live until it was folded. */
struct names {
	char test[24], suite[24], replica[24];
};

static struct row_side side_of(uint64_t number, const char *name, enum role role)
{
	struct row_side side = {
	        .name = name,
	        .backend = name,
	        .role = role,
	        .dialect = "vllm",
	        .start_ns = number * 1000000000,
	        .in_flight = 1 + (uint32_t)(number % 5),
	        .prompt_tokens = 20,
	        .cached_tokens = -1,
	};
	uint64_t leg = 2 * number + (role == ROLE_PRIMARY);
	memcpy(side.leg.bytes, &leg, sizeof(leg));
	return side;
}

/* Of sixty suites and as many replicas; half of all are of one group, the others of ninety. */
static void row_of(uint64_t number, struct names *names, struct pair_row *ret)
{
	uint64_t z = rng_mix(number + 1);
	snprintf(names->test, sizeof(names->test), "prod-%02" PRIu64, z % 2 * (z / 2 % 90));
	snprintf(names->suite, sizeof(names->suite), "suite %02" PRIu64, z / 90 % 60);
	snprintf(names->replica, sizeof(names->replica), "pod %02" PRIu64, z / 5400 % 60);
	*ret = (struct pair_row){
	        .exchange = {.suite = names->suite, .endpoint = ENDPOINT_CHAT, .model = "m"},
	        .base = side_of(number, "trusted", ROLE_REFERENCE),
	        .test = side_of(number, names->test, ROLE_PRIMARY),
	        .is_first = true,
	        .has_choices = true,
	};
	memcpy(ret->exchange.id.bytes, &z, sizeof(z));
	memcpy(ret->exchange.cluster, &(uint64_t){z % 500}, sizeof(uint64_t));
	ret->test.replica = names->replica;
	ret->c.decoding = z % 3 ? DECODING_GREEDY : DECODING_UNLIKE;
	ret->c.differ = z % 7 < 2;
	ret->c.text_equal = !ret->c.differ;
	ret->c.base.text_bytes = ret->c.test.text_bytes = z % 100;
	ret->unlike = (struct decoding_reason){.what = DECODING_PARAMETER,
	        .parameter = PARAMETER_TEMPERATURE,
	        .base = (double)(z % 40) / 40,
	        .test = 1};
}

/* Rows of other kinds may come before the first pair of their group. */
static void add(void *block, uint64_t number)
{
	struct names names;
	struct pair_row pair;
	struct row row;
	row_of(number / 4, &names, &pair);
	if (number % 4 == 0) {
		row = (struct row){.type = PAIR_ROW, .pair = pair};
	} else if (number % 4 == 1) {
		row = (struct row){.type = FLOOR_ROW};
		row.floor = (struct floor_row){.exchange = pair.exchange.id,
		        .base = pair.base.name,
		        .test = pair.test.name,
		        .of = (enum floor_of)(number % N_FLOORS),
		        .of_repeats = number % 2};
		memcpy(row.floor.cluster, pair.exchange.cluster, sizeof(row.floor.cluster));
		pair_facts_of(&pair.c, &row.floor.facts);
	} else if (number % 4 == 2) {
		row = (struct row){.type = SAMPLES_ROW};
		row.samples = (struct samples_row){pair.base.name, pair.test.name,
		        {4, 4, true, any_order_value(number), 0.1, 0.01, 0.1}};
	} else {
		row = (struct row){.type = CROSSTALK_ROW};
		row.crosstalk = (struct crosstalk_row){pair.exchange.id, pair.base.name,
		        pair.test.name, number % 8 == 3, number % 5 == 0, number % 5 == 1,
		        number % 7 == 0, 0.1, true};
	}
	fold_row(block, &row, NULL);
}

static void say_facets(const struct facets *f, struct buf *to)
{
	for (size_t k = 0; k < N_FACETS; k++) {
		const struct facet_list *of = &f->of[k];
		any_order_put(to, &of->beyond, sizeof(of->beyond));
		for (size_t i = 0; i < of->n; i++) {
			const struct facet *item = &of->items[i];
			buf_printf(to, "%d %s %" PRIu64 " %" PRIu64 " %.17g\n", item->kind,
			        item->name, item->pairs, item->differ,
			        item->values[FACET_DIFFER].ci.high);
		}
	}
}

static void say(void *block, struct buf *to)
{
	struct analysis *a = block;
	analysis_settle(a, NULL, NULL);
	buf_printf(to, "%" PRIu64 " beyond\n", a->ungrouped);
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct analysis_group *g = &a->groups[i];
		const struct figure_value *differ = &g->values[DECODING_GREEDY][FIGURE_DIFFER];
		char *unlike = decoding_differences_text(&g->decoding_differences);
		buf_printf(to, "%s %s %" PRIu64 " %.17g %.17g %.17g %.17g %.17g %s\n", g->base,
		        g->test, g->legs, differ->value, differ->ci.low,
		        g->excesses[EXCESS_DIFFER].excess.value, two_sample_p(&g->sampled),
		        crosstalk_side_p(&g->causes.of[SIDE_TEST].talk), unlike);
		say_facets(&g->facets, to);
		free(unlike);
	}
}

static void finish(void *block)
{
	analysis_finish(block);
}

Test(fold, order_changes_no_bit)
{
	any_order_check(&(struct any_order){sizeof(struct analysis), ROWS, add, say, finish});
}

Test(fold, of_too_many_groups_those_with_the_first_names_are_kept)
{
	struct analysis a = {0};
	for (uint64_t i = 0; i < ROWS; i++) {
		add(&a, i);
	}
	analysis_settle(&a, NULL, NULL);
	uint64_t legs = a.ungrouped;
	cr_assert_eq(a.n_groups, ANALYSIS_GROUPS_LIMIT);
	for (size_t i = 0; i < a.n_groups; i++) {
		cr_assert_leq(strcmp(a.groups[i].test, "prod-63"), 0, "%s", a.groups[i].test);
		cr_assert_eq(a.groups[i].test_role, ROLE_PRIMARY);
		legs += a.groups[i].legs;
		cr_assert(i == 0 || group_compare(&a.groups[i - 1], &a.groups[i]) < 0);
	}
	cr_assert_eq(legs, ROWS / 4);
	analysis_finish(&a);
}
