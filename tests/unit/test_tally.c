#include "analyzer/tally.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "made_answers.h"

#define PAIRS 200

/* The same with one row more to each list, which says nothing: no list of these is plain. */
static struct choice padded(const struct choice *c)
{
	struct columns_builder *b = columns_builder_create();
	struct choice ret = {.has_columns = true, .finish = c->finish, .text = c->text};
	const struct columns *from = &c->columns;
	for (uint32_t i = 0; i < from->n; i++) {
		for (uint32_t row = i ? from->top_end[i - 1] : 0; row < from->top_end[i]; row++) {
			columns_builder_row(b, columns_top_token(from, row), from->top_ids[row],
			        from->top_lp[row]);
		}
		columns_builder_row(b, span_of("padding"), -1, NAN);
		columns_builder_commit(
		        b, columns_token(from, i), from->ids[i], from->lp[i], from->flags[i]);
	}
	columns_builder_end(b, &ret.columns);
	return ret;
}

struct said {
	struct tally tally;
	struct metrics metrics;
	struct cause_signs signs;
};

static void add(struct said *to, uint64_t key, const struct choice *base, const struct choice *test)
{
	static const uint8_t CLUSTER[CLUSTERS_KEY_SIZE] = {1};
	struct parting parting;
	struct cause_signs_reader reader = {0};
	struct cause_signs s;
	struct tally_facts facts;
	cause_signs_begin(&reader, true, (struct span){NULL, 0}, &s);
	parting_find(base, test, &parting);
	const struct tally_pair pair = {
	        .cluster = CLUSTER,
	        .key = key << 32,
	        .base = base,
	        .test = test,
	        .parting = &parting,
	        .base_tokens = -1,
	        .test_tokens = -1,
	        .greedy = true,
	        .metrics = &to->metrics,
	        .signs = &reader,
	};
	tally_add(&to->tally, &pair, &facts);
	to->signs.contrast += s.contrast;
	to->signs.contrast_n += s.contrast_n;
	to->signs.gap_base += s.gap_base;
	to->signs.gap_test += s.gap_test;
	to->signs.gap_both += s.gap_both;
	to->signs.gaps += s.gaps;
	to->signs.noise += s.noise;
	to->signs.noise_n += s.noise_n;
	to->signs.has_first |= s.has_first;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1e-3, fmax(fabs(a), fabs(b)));
}

static void check_sample(const struct sample *a, const struct sample *b)
{
	cr_assert(a->n == b->n && a->kept == b->kept, "%zu, not %zu", (size_t)a->n, (size_t)b->n);
	cr_assert(is_near(a->sum, b->sum) && is_near(a->squares, b->squares));
	cr_assert(is_near(a->least, b->least) && is_near(a->greatest, b->greatest));
	for (size_t i = 0; i < a->kept; i++) {
		cr_assert(is_near(a->items[i].value, b->items[i].value));
	}
}

static void check_moments(const struct moments *a, const struct moments *b)
{
	cr_assert_eq(a->n, b->n);
	cr_assert(is_near(exact_sum_value(&a->sum), exact_sum_value(&b->sum)));
	cr_assert(is_near(exact_sum_value(&a->squares), exact_sum_value(&b->squares)));
}

static void check_tallies(struct tally *a, struct tally *b)
{
	for (size_t f = 0; f < N_FIGURES; f++) {
		double part, whole, other_part, other_whole;
		clusters_total(a->clusters, f, &part, &whole);
		clusters_total(b->clusters, f, &other_part, &other_whole);
		cr_assert(is_near(part, other_part) && whole == other_whole,
		        "%s: %.17g of %g, not %.17g of %g", figure_info((enum figure)f)->name, part,
		        whole, other_part, other_whole);
	}
	tally_settle(a);
	tally_settle(b);
	check_sample(&a->delta_lp, &b->delta_lp);
	check_sample(&a->delta_p, &b->delta_p);
	check_sample(&a->kl_low, &b->kl_low);
	check_sample(&a->noise, &b->noise);
	cr_assert_eq(memcmp(&a->flips, &b->flips, sizeof(a->flips)), 0);
	cr_assert(a->rank_unlisted == b->rank_unlisted && a->hidden_much == b->hidden_much);
}

static void check_others(const struct said *a, const struct said *b)
{
	const struct cause_signs *s = &a->signs, *o = &b->signs;
	cr_assert_eq(a->metrics.with_top1, b->metrics.with_top1);
	cr_assert_eq(a->metrics.top1_equal, b->metrics.top1_equal);
	cr_assert_eq(a->metrics.top1_unlisted, b->metrics.top1_unlisted);
	check_moments(&a->metrics.top1_logprob, &b->metrics.top1_logprob);
	check_moments(&a->metrics.jaccard, &b->metrics.jaccard);
	check_moments(&a->metrics.chosen_logprob, &b->metrics.chosen_logprob);
	cr_assert(s->contrast_n == o->contrast_n && is_near(s->contrast, o->contrast));
	cr_assert(s->gaps == o->gaps && s->noise_n == o->noise_n && s->has_first == o->has_first);
	cr_assert(is_near(s->gap_base, o->gap_base) && is_near(s->gap_test, o->gap_test));
	cr_assert(is_near(s->gap_both, o->gap_both) && is_near(s->noise, o->noise));
}

Test(tally, positions_that_are_reckoned_together_say_what_they_say_alone)
{
	static const struct made_side BASE = {.noise = 0.05};
	static const struct made_side TESTS[] = {{0}, {.noise = 0.3}, {.penalty = 1},
	        {.penalty = 0.5, .processed = true}, {.temperature = 0.7, .sampling = 0.5},
	        {.foreign = 0.1}};
	static struct said together, alone;
	random_state = 3;
	for (uint64_t i = 0; i < PAIRS; i++) {
		struct choice base, test;
		made_pair(&BASE, &TESTS[i % ARRAY_LEN(TESTS)], &base, &test);
		struct choice other_base = padded(&base), other_test = padded(&test);
		add(&together, i, &base, &test);
		add(&alone, i, &other_base, &other_test);
		columns_finish(&other_base.columns);
		columns_finish(&other_test.columns);
		made_finish(&base);
		made_finish(&test);
	}
	cr_assert(together.tally.delta_lp.n > 1000 && together.signs.contrast_n > 100);
	check_tallies(&together.tally, &alone.tally);
	check_others(&together, &alone);
	tally_finish(&together.tally);
	tally_finish(&alone.tally);
}
