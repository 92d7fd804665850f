#include "analyzer/fold/scores.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare/pair.h"
#include "analyzer/rows/examine_score.h"
#include "base/mem.h"
#include "any_order.h"

static struct reading *read_text(const char *body)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_COMPLETION, .status = 200, .framing = FRAMING_UNARY};
	struct reader *r = reader_create(&hints);
	reader_feed(r, body, strlen(body));
	return reader_end(r, true);
}

#define TOLD(text, tokens, lps, tops, finish)                                                      \
	"{\"choices\":[{\"index\":0,\"text\":\"" text "\",\"logprobs\":{\"tokens\":" tokens        \
	",\"token_logprobs\":" lps ",\"top_logprobs\":" tops "},\"finish_reason\":\"" finish       \
	"\"}],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":1}}"

static struct leg_row leg(const char *backend, enum role role, uint8_t id)
{
	struct leg_row row = {.backend = (char *)backend, .role = role, .status = 200};
	row.id.bytes[15] = id;
	return row;
}

static struct leg_row scores_of(const struct leg_row *of, const char *backend, uint32_t at)
{
	struct leg_row row = leg(backend, ROLE_REFERENCE, 9);
	row.marks = LEG_SCORED;
	row.score_of = of->id;
	row.score_at = at;
	return row;
}

static uint8_t cluster[CLUSTERS_KEY_SIZE];
static const struct request_words no_words;

static void add(struct scores *f, const char *answer, const char *scored, uint32_t at,
        enum decoding decoding)
{
	struct leg_row of = leg("prod", ROLE_PRIMARY, 1), by = scores_of(&of, "judge", at);
	struct reading *a = answer ? read_text(answer) : NULL,
	               *s = scored ? read_text(scored) : NULL;
	const char *body =
	        decoding == DECODING_GREEDY ? "{\"temperature\":0}" : "{\"temperature\":1}";
	struct request_facts facts;
	request_read(ENDPOINT_COMPLETION, (struct span){body, strlen(body)}, &facts);
	const struct score_input in = {.words = &no_words,
	        .scorer = &by,
	        .of = &of,
	        .scored = s,
	        .answer = a,
	        .decoding = {.facts = &facts,
	                .endpoint = ENDPOINT_COMPLETION,
	                .dialect = &dialect_generic}};
	struct score_row row = {.scorer.name = "judge", .of.name = "prod"};
	memcpy(row.exchange.cluster, cluster, sizeof(cluster));
	examine_score(&in, &row);
	cr_assert_eq(row.decoding, decoding);
	scores_add(f, &row);
	reading_destroy(a);
	reading_destroy(s);
}

static enum score_basis basis_of(enum logprobs_basis logprobs, const char *body)
{
	struct leg_row of = leg("prod", ROLE_PRIMARY, 1), by = scores_of(&of, "judge", 1);
	struct request_facts facts;
	request_read(ENDPOINT_COMPLETION, (struct span){body, strlen(body)}, &facts);
	const struct score_input in = {.words = &no_words,
	        .scorer = &by,
	        .of = &of,
	        .decoding = {.facts = &facts,
	                .endpoint = ENDPOINT_COMPLETION,
	                .dialect = &dialect_generic,
	                .basis = logprobs}};
	struct score_row row = {0};
	examine_score(&in, &row);
	return row.basis;
}

Test(scores, are_of_other_probabilities_where_logprobs_are_processed)
{
	static const char PLAIN[] = "{\"temperature\":1}", WARM[] = "{\"temperature\":0.7}";
	cr_expect_eq(basis_of(LOGPROBS_RAW, WARM), SCORE_TEMPERATURE);
	cr_expect_eq(basis_of(LOGPROBS_RAW_BY_DEFAULT, WARM), SCORE_TEMPERATURE);
	cr_expect_eq(basis_of(LOGPROBS_AFTER_TEMPERATURE, WARM), SCORE_MIXED);
	cr_expect_eq(basis_of(LOGPROBS_UNKNOWN, WARM), SCORE_MIXED);
	cr_expect_eq(basis_of(LOGPROBS_PROCESSED, WARM), SCORE_PROCESSED);
	cr_expect_eq(basis_of(LOGPROBS_PROCESSED, PLAIN), SCORE_AS_DRAWN);
}

static const char ANSWER[] = TOLD("b c d", "[\"b\",\" c\",\" d\"]", "[-1.0,-2.0,-3.0]",
        "[{\"b\":-1.0},{\" c\":-2.0},{\" d\":-3.0}]", "length");
/* " c" is not the most probable token there; "!" is the scorer's own and does not count. */
static const char SCORES[] = TOLD("ab c d!", "[\"a\",\"b\",\" c\",\" d\",\"!\"]",
        "[null,-1.5,-2.5,-2.0,-9.0]",
        "[null,{\"b\":-1.5},{\" c\":-2.5,\" x\":-0.5},{\" d\":-2.0},{\"!\":-9.0}]", "length");

/* The split of the only group. */
static const struct score_split *settle(struct scores *f, size_t decoding)
{
	scores_settle(f);
	return &f->splits[decoding];
}

Test(scores, every_token_of_an_answer_is_a_position)
{
	struct scores f = {0};
	add(&f, ANSWER, SCORES, 1, DECODING_SAMPLED);
	const struct score_split *s = settle(&f, DECODING_SAMPLED);
	cr_assert_str_eq(f.scorer.name, "judge");
	cr_assert_str_eq(f.of.name, "prod");
	cr_assert_eq(s->answers, 1);
	cr_assert_eq(s->tokens, 3);
	cr_assert_eq(s->positions, 3);
	cr_assert_eq(s->tops, 3);
	cr_assert_eq(s->tops_equal, 2);
	/* +0.5, +0.5, -1.0 */
	cr_assert_float_eq(s->values[SCORE_LOGPROB].value, 0, 1e-6);
	cr_assert_float_eq(s->values[SCORE_LOGPROB_SQUARE].value, 1.5 / 3, 1e-6);
	cr_assert_float_eq(s->values[SCORE_OWN].value, -2.0, 1e-6);
	cr_assert_float_eq(s->values[SCORE_SCORER].value, -2.0, 1e-6);
	cr_assert_eq(f.splits[DECODING_GREEDY].answers, 0);
	scores_finish(&f);
}

static int64_t scorer_prompt_tokens(const char *scored, int64_t read, uint32_t marks)
{
	struct leg_row of = leg("prod", ROLE_PRIMARY, 1), by = scores_of(&of, "judge", 1);
	struct reading *a = read_text(ANSWER), *s = read_text(scored);
	struct request_facts facts;
	request_read(ENDPOINT_COMPLETION, (struct span){"{}", 2}, &facts);
	by.marks |= marks;
	by.usage.prompt_tokens = read;
	const struct score_input in = {.words = &no_words,
	        .scorer = &by,
	        .of = &of,
	        .scored = s,
	        .answer = a,
	        .decoding = {.facts = &facts,
	                .endpoint = ENDPOINT_COMPLETION,
	                .dialect = &dialect_generic}};
	struct score_row row = {0};
	examine_score(&in, &row);
	reading_destroy(a);
	reading_destroy(s);
	return row.scorer.prompt_tokens;
}

Test(scores, prompt_tokens_are_all_that_the_scorer_read_before_the_answer)
{
	static const char ACROSS[] =
	        TOLD("ab c d!", "[\"ab\",\" c\",\" d\",\"!\"]", "[null,-2.5,-2.0,-9.0]",
	                "[null,{\" c\":-2.5},{\" d\":-2.0},{\"!\":-9.0}]", "length");
	/* An echo has no BOS token, but its usage counts it. */
	cr_expect_eq(scorer_prompt_tokens(SCORES, 5, 0), 2);
	cr_expect_eq(scorer_prompt_tokens(SCORES, -1, 0), -1);
	cr_expect_eq(scorer_prompt_tokens(SCORES, 5, LEG_GIVEN_PROMPT), -1);
	cr_expect_eq(scorer_prompt_tokens(ACROSS, 4, 0), -1);
}

/* Both know " d" to be in the answer; the answer's engine holds it half a nat less probable, and
 * gaps are the same. */
Test(scores, say_how_far_tokens_that_were_there_are_moved)
{
	static const char LISTS[] = TOLD(" d e", "[\" d\",\" e\"]", "[-1.0,-2.0]",
	        "[{\" d\":-1.0},{\" e\":-2.0,\" d\":-3.5,\" f\":-5.0,\" g\":-6.0}]", "length");
	static const char SCORED[] =
	        TOLD("a d e!", "[\"a\",\" d\",\" e\",\"!\"]", "[null,-1.0,-2.0,-9.0]",
	                "[null,{\" d\":-1.0},{\" e\":-2.0,\" d\":-3.0,\" f\":-5.0,\" "
	                "g\":-6.0},{\"!\":-9.0}]",
	                "length");
	struct scores f = {0};
	struct estimate e;
	add(&f, LISTS, SCORED, 1, DECODING_SAMPLED);
	scores_estimate(&f, SCORE_CONTRAST, &e);
	cr_expect_float_eq(e.value, -0.5, 1e-6);
	scores_estimate(&f, SCORE_GAPS, &e);
	cr_expect_float_eq(e.value, 1, 1e-6);
	scores_finish(&f);
}

Test(scores, splits_add_up_to_the_whole)
{
	struct scores f = {0};
	add(&f, ANSWER, SCORES, 1, DECODING_SAMPLED);
	add(&f, ANSWER, SCORES, 1, DECODING_GREEDY);
	add(&f, ANSWER, SCORES, 1, DECODING_GREEDY);
	const struct score_split *all = settle(&f, N_DECODINGS);
	cr_assert_eq(f.legs, 3);
	cr_assert_eq(all->answers, 3);
	cr_assert_eq(all->positions, 9);
	cr_assert_eq(all->tops_equal, 6);
	cr_assert_eq(all->means, 3);
	scores_finish(&f);
}

Test(scores, positions_where_boundaries_differ_do_not_count)
{
	struct scores f = {0};
	add(&f, ANSWER,
	        TOLD("ab c d!", "[\"a\",\"b c\",\" d\",\"!\"]", "[null,-1.5,-2.0,-9.0]", "null",
	                "length"),
	        1, DECODING_GREEDY);
	const struct score_split *s = settle(&f, DECODING_GREEDY);
	cr_assert_eq(s->positions, 1);
	cr_assert_eq(s->tokens, 3);
	cr_assert_eq(s->tops, 0, "no alternatives were given");
	cr_assert_float_eq(s->values[SCORE_LOGPROB].value, -1.0, 1e-6);
	cr_assert_eq(s->aligned, 0, "it is scored behind other tokens than it was generated");
	scores_finish(&f);
}

Test(scores, what_gives_no_position_is_counted_by_its_reason)
{
	struct scores f = {0};
	add(&f, NULL, SCORES, 1, DECODING_GREEDY);
	add(&f, ANSWER, NULL, 1, DECODING_GREEDY);
	add(&f, "{\"choices\":[{\"index\":0,\"text\":\"b\",\"finish_reason\":\"stop\"}]}", SCORES,
	        1, DECODING_GREEDY);
	add(&f, TOLD("zz", "[\"zz\"]", "[-1]", "null", "stop"), SCORES, 1, DECODING_GREEDY);
	/* Numbers out of a file may be anything. */
	add(&f, ANSWER, SCORES, 4000000000u, DECODING_GREEDY);
	const struct scores *g = &f;
	cr_assert_eq(g->legs, 5);
	cr_assert_eq(g->unreadable, 2);
	cr_assert_eq(g->without, 1);
	cr_assert_eq(g->unmatched, 2);
	cr_assert_null(g->clusters[DECODING_GREEDY]);
	scores_finish(&f);
}

Test(scores, missing_logprobs_leave_the_sums_alone)
{
	struct scores f = {0};
	add(&f, TOLD("b c", "[\"b\",\" c\"]", "[null,-2.0]", "null", "length"),
	        TOLD("ab c!", "[\"a\",\"b\",\" c\",\"!\"]", "[null,-1.5,-9999.0,-1]", "null",
	                "length"),
	        1, DECODING_GREEDY);
	const struct score_split *s = settle(&f, DECODING_GREEDY);
	cr_assert_eq(s->positions, 2);
	cr_assert_eq(s->logprobs, 0);
	cr_assert(isnan(s->values[SCORE_OWN].value));
	cr_assert_eq(s->means, 0);
	scores_finish(&f);
}

Test(scores, a_scored_leg_is_no_answer_to_be_paired)
{
	struct leg_row primary = leg("prod", ROLE_PRIMARY, 1),
	               copy = leg("judge", ROLE_REFERENCE, 2);
	struct capture_leg legs[] = {
	        {.row = primary}, {.row = copy}, {.row = scores_of(&primary, "judge", 1)}};
	struct capture_exchange e = {.legs = legs, .n_legs = 3};
	struct pair pairs[3];
	const struct pair_names any = {0}, one = {{.name = "judge"}, {.name = "judge"}};
	const struct pair_names two = {{.name = "judge"}, {.name = "prod"}};
	cr_assert_eq(pair_find(&e, &any, pairs), 1);
	cr_assert_eq(pairs[0].base, 1);
	cr_assert_eq(pairs[0].test, 0);
	cr_assert_eq(pair_find(&e, &two, pairs), 1);
	cr_assert_eq(pair_find(&e, &one, pairs), 0);
	cr_assert_eq(score_leg_of(&e, &legs[2].row), 0);
	legs[2].row.score_of.bytes[0] = 7;
	cr_assert_eq(score_leg_of(&e, &legs[2].row), 3);
}

/* Answers whose logprobs differ from the scorer's by 0.5, 0.5 and -1, or by nothing. */
static void fill(struct scores *f, size_t clusters, size_t of_each)
{
	static const char EQUAL[] =
	        TOLD("ab c d!", "[\"a\",\"b\",\" c\",\" d\",\"!\"]", "[null,-1.0,-2.0,-3.0,-9.0]",
	                "[null,{\"b\":-1.0},{\" c\":-2.0},{\" d\":-3.0},{\"!\":-9.0}]", "length");
	for (size_t i = 0; i < clusters * of_each; i++) {
		size_t number = i % clusters;
		memcpy(cluster, &number, sizeof(number));
		memcpy(cluster + 8, &number, sizeof(number));
		add(f, ANSWER, number % 2 ? SCORES : EQUAL, 1, DECODING_SAMPLED);
	}
	memset(cluster, 0, sizeof(cluster));
}

Test(scores, intervals_count_prompts_and_not_answers)
{
	struct scores once = {0}, often = {0};
	fill(&once, 40, 1);
	fill(&often, 40, 20);
	scores_settle(&once);
	scores_settle(&often);
	for (size_t f = 0; f < N_SCORE_FIGURES; f++) {
		const struct estimate *a = &once.splits[DECODING_SAMPLED].values[f];
		const struct estimate *b = &often.splits[DECODING_SAMPLED].values[f];
		cr_assert_eq(b->clusters, 40);
		cr_assert_float_eq(a->value, b->value, 1e-9);
		/* A rate's exact interval knows of more answers; it never gets much narrower. */
		cr_assert_geq(
		        b->ci.high - b->ci.low, 0.75 * (a->ci.high - a->ci.low) - 1e-9, "%zu", f);
	}
	const struct estimate *top = &often.splits[DECODING_SAMPLED].values[SCORE_SAME_TOP];
	cr_assert(top->ci.low < top->value && top->value < top->ci.high);
	scores_finish(&once);
	scores_finish(&often);
}

Test(scores, one_cluster_gives_no_interval)
{
	struct scores f = {0};
	fill(&f, 1, 30);
	scores_settle(&f);
	const struct estimate *v = f.splits[DECODING_SAMPLED].values;
	cr_assert(isnan(v[SCORE_LOGPROB].ci.low));
	cr_assert_float_eq(v[SCORE_LOGPROB].value, 0, 1e-6);
	cr_assert(isnan(f.splits[DECODING_GREEDY].values[SCORE_LOGPROB].value));
	struct scores floor = {0};
	fill(&floor, 10, 1);
	scores_judge(&f, false, &floor);
	const struct score_excess *e = &f.excess;
	cr_assert(!isnan(e->k3.value) && !isnan(e->over.value));
	cr_assert(isnan(e->k3.ci.low) && isnan(e->k3.ci.high));
	cr_assert(isnan(e->over.ci.low) && isnan(e->over.ci.high));
	scores_finish(&floor);
	scores_finish(&f);
}

Test(scores, the_k3_score_is_of_every_position)
{
	struct scores f = {0};
	add(&f, ANSWER, SCORES, 1, DECODING_SAMPLED);
	scores_settle(&f);
	/* exp(d) - 1 - d at d = -0.5, -0.5, 1. */
	double want = (2 * (exp(-0.5) - 0.5) + exp(1) - 2) / 3;
	cr_assert_float_eq(f.splits[DECODING_SAMPLED].values[SCORE_K3].value, want, 1e-6);
	cr_assert_float_eq(f.splits[N_DECODINGS].values[SCORE_K3].value, want, 1e-6);
	scores_finish(&f);
}

static void add_number(void *block, uint64_t i)
{
	struct score_row row = {
	        .scorer.name = "judge",
	        .result = (enum score_result)(i % 9 < N_SCORE_RESULTS ? i % 9 : SCORE_COUNTS),
	        .of.name = "prod",
	        .exchange.cluster = {(uint8_t)(i % 90)},
	        .decoding = (enum decoding)(i % N_DECODINGS),
	        .basis = (enum score_basis)(i % 13 < N_SCORE_BASES ? i % 13 : SCORE_AS_DRAWN),
	        .given_prompt = i % 4 == 0,
	        .scorer.prompt_tokens = (int64_t)(i % 40),
	        .of.prompt_tokens = (int64_t)(i % 41),
	        .exchange.messages = i % 5,
	};
	row.scorer.leg.bytes[15] = row.of.leg.bytes[15] = (uint8_t)i;
	if (row.result == SCORE_COUNTS) {
		row.tokens = 9;
		row.positions = 7;
		row.tops = row.logprobs = row.aligned = 1 + i % 5;
		row.tops_equal = i % 2;
		row.own = -fabs(any_order_value(i));
		row.by_scorer = -fabs(any_order_value(i + 1));
		row.delta_squares = fabs(any_order_value(i + 2));
		row.k3 = fabs(any_order_value(i + 3));
		row.delta = any_order_value(i + 8);
		row.delta_sizes = fabs(any_order_value(i + 4));
		row.delta_max = fabs(any_order_value(i + 5));
		row.ratios = fabs(any_order_value(i + 6));
		row.ratio_squares = fabs(any_order_value(i + 7));
		row.ratios_outside = i % 3;
		signed_histogram_add(&row.log_ratios, any_order_value(i));
		row.sizes_at[i % SCORE_SPANS] = (struct position_sum){any_order_value(i), 1};
		row.k3_at[i % SCORE_SPANS] = (struct position_sum){any_order_value(i + 1), 1};
	}
	scores_add(block, &row);
}

static void say_rollout(const struct rollout *r, struct buf *to)
{
	buf_printf(to, "\n%lu %lu %.17g %.17g %.17g %.17g", r->tokens, r->outside, r->delta_max,
	        rollout_sample_size(r), rollout_sample_size_of_answers(r),
	        signed_histogram_quantile(&r->log_ratios, 0.99));
	for (size_t f = 0; f < N_ROLLOUT_FIGURES; f++) {
		buf_printf(to, " %.17g %.17g", r->values[f].value, r->values[f].ci.low);
	}
	for (size_t i = 0; i < SCORE_SPANS; i++) {
		buf_printf(to, " %.17g", exact_sum_value(&r->spans[i].sizes));
	}
}

static void say(void *block, struct buf *to)
{
	struct scores *s = block;
	scores_settle(s);
	buf_printf(to, "%lu %lu %lu %lu %lu", s->legs, s->given_prompt, s->without, s->unmatched,
	        s->unreadable);
	for (size_t d = 0; d <= N_DECODINGS; d++) {
		const struct score_split *split = &s->splits[d];
		buf_printf(to, " %lu %lu %lu", split->answers, split->tops_equal, split->logprobs);
		for (size_t k = 0; k < N_SCORE_FIGURES; k++) {
			buf_printf(to, " %.17g %.17g", split->values[k].value,
			        split->values[k].ci.low);
		}
	}
	say_rollout(&s->rollout, to);
	any_order_put(to, &s->prompts, sizeof(s->prompts));
}

static void finish(void *block)
{
	scores_finish(block);
}

Test(scores, order_does_not_matter)
{
	const struct any_order m = {sizeof(struct scores), 1500, add_number, say, finish};
	any_order_check(&m);
}

/* Tokens whose scorer says d more than their own engine does, so many answers to one prompt
 * each. */
static struct score_row row_of(size_t prompt, double d, enum decoding decoding)
{
	double r = exp(d);
	struct score_row row = {
	        .scorer.name = "judge",
	        .of.name = "prod",
	        .exchange.cluster = {(uint8_t)prompt, 1},
	        .decoding = decoding,
	        .basis = decoding == DECODING_GREEDY ? SCORE_GREEDY : SCORE_AS_DRAWN,
	        .tokens = 10,
	        .positions = 10,
	        .logprobs = 10,
	        .aligned = 10,
	        .delta = 10 * d,
	        .own = -10,
	        .by_scorer = -10 + 10 * d,
	        .k3 = 10 * (r - 1 - d),
	        .delta_sizes = 10 * fabs(d),
	        .delta_max = fabs(d),
	        .ratios = 10 * r,
	        .ratio_squares = 10 * r * r,
	};
	return row;
}

static struct scores scores_with(double d, size_t prompts, enum decoding decoding)
{
	struct scores s = {0};
	for (size_t i = 0; i < prompts; i++) {
		const struct score_row row = row_of(i, i % 2 ? d : -d, decoding);
		scores_add(&s, &row);
	}
	scores_settle(&s);
	return s;
}

static double k3(double d)
{
	return (exp(d) + exp(-d)) / 2 - 1;
}

Test(scores, a_floor_is_taken_off_k3)
{
	struct scores s = scores_with(0.2, 40, DECODING_SAMPLED);
	struct scores floor = scores_with(0.1, 40, DECODING_SAMPLED);
	scores_judge(&s, false, &floor);
	const struct score_excess *e = &s.excess;
	cr_assert_eq(e->answers, 40);
	cr_assert_float_eq(e->k3.value, k3(0.2), 1e-9);
	cr_assert_float_eq(e->floor, k3(0.1), 1e-9);
	cr_assert_float_eq(e->over.value, k3(0.2) - k3(0.1), 1e-9);
	cr_assert(e->over.ci.low <= e->over.value && e->over.value <= e->over.ci.high);
	scores_finish(&s);
	scores_finish(&floor);
}

Test(scores, answers_that_are_not_in_k3_are_not_counted_as_its_answers)
{
	struct scores s = scores_with(0.2, 40, DECODING_SAMPLED);
	for (size_t i = 0; i < 30; i++) {
		struct score_row row = row_of(i, 3, DECODING_SAMPLED);
		row.basis = SCORE_MIXED;
		scores_add(&s, &row);
	}
	scores_settle(&s);
	scores_judge(&s, false, NULL);
	cr_assert_eq(s.processed, 30);
	cr_assert_eq(s.excess.answers, 40);
	cr_assert_float_eq(s.excess.k3.value, k3(0.2), 1e-9);
	scores_finish(&s);
}

Test(scores, without_a_floor_nothing_is_taken_off)
{
	struct scores s = scores_with(0.2, 40, DECODING_SAMPLED);
	scores_judge(&s, false, NULL);
	cr_assert(isnan(s.excess.floor) && isnan(s.excess.over.value));
	cr_assert_eq(s.excess.k3.clusters, 40);
	scores_finish(&s);
}

Test(scores, greedy_answers_decide_where_they_are_asked_to)
{
	struct scores s = scores_with(0.2, 4, DECODING_GREEDY);
	cr_assert_not(scores_decide(&s, false));
	cr_assert(scores_decide(&s, true));
	scores_judge(&s, false, NULL);
	cr_assert_eq(s.excess.answers, 0);
	scores_judge(&s, true, NULL);
	cr_assert_eq(s.excess.answers, 4);
	scores_finish(&s);
}

Test(scores, a_rollout_is_of_answers_whose_probabilities_are_those_drawn_from)
{
	struct scores s = scores_with(0.2, 40, DECODING_SAMPLED);
	const struct score_row greedy = row_of(1, 3, DECODING_GREEDY);
	scores_add(&s, &greedy);
	scores_settle(&s);
	const struct rollout *r = &s.rollout;
	cr_assert_eq(r->tokens, 400);
	cr_assert_eq(r->by_basis[SCORE_GREEDY], 1);
	cr_assert_float_eq(r->delta_max, 0.2, 1e-12);
	cr_assert_float_eq(r->values[ROLLOUT_DELTA].value, 0.2, 1e-9);
	cr_assert_float_eq(r->values[ROLLOUT_K1].value, 0, 1e-9);
	cr_assert_float_eq(r->values[ROLLOUT_K3].value, k3(0.2), 1e-9);
	double mean = (exp(0.2) + exp(-0.2)) / 2, square = (exp(0.4) + exp(-0.4)) / 2;
	cr_assert_float_eq(rollout_sample_size(r), mean * mean / square, 1e-9);
	/* Of whole answers: ten tokens each. */
	mean = (exp(2) + exp(-2)) / 2;
	square = (exp(4) + exp(-4)) / 2;
	cr_assert_float_eq(rollout_sample_size_of_answers(r), mean * mean / square, 1e-9);
	scores_finish(&s);
}
