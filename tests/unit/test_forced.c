#include "analyzer/fold/forced.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare/pair.h"
#include "analyzer/rows/examine_score.h"
#include "base/mem.h"
#include "merging.h"

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

static void add(struct forced *f, const char *answer, const char *scored, uint32_t at,
        enum decoding decoding)
{
	struct leg_row of = leg("prod", ROLE_PRIMARY, 1), by = scores_of(&of, "judge", at);
	struct reading *a = answer ? read_text(answer) : NULL,
	               *s = scored ? read_text(scored) : NULL;
	const struct score_input in = {.cluster = cluster,
	        .scorer = &by,
	        .of = &of,
	        .scored = s,
	        .answer = a,
	        .decoding = decoding};
	struct score_row row;
	examine_score(&in, &row);
	forced_add(f, &row);
	reading_destroy(a);
	reading_destroy(s);
}

static const char ANSWER[] = TOLD("b c d", "[\"b\",\" c\",\" d\"]", "[-1.0,-2.0,-3.0]",
        "[{\"b\":-1.0},{\" c\":-2.0},{\" d\":-3.0}]", "length");
/* " c" is not its most probable token there; "!" is its own and does not count. */
static const char SCORES[] = TOLD("ab c d!", "[\"a\",\"b\",\" c\",\" d\",\"!\"]",
        "[null,-1.5,-2.5,-2.0,-9.0]",
        "[null,{\"b\":-1.5},{\" c\":-2.5,\" x\":-0.5},{\" d\":-2.0},{\"!\":-9.0}]", "length");

/* The split of the only group. */
static const struct forced_split *settle(struct forced *f, size_t decoding)
{
	forced_settle(f);
	cr_assert_eq(f->n_groups, 1);
	return &f->groups[0].splits[decoding];
}

Test(forced, every_token_of_an_answer_is_a_position)
{
	struct forced f = {0};
	add(&f, ANSWER, SCORES, 1, DECODING_SAMPLED);
	const struct forced_split *s = settle(&f, DECODING_SAMPLED);
	cr_assert_str_eq(f.groups[0].scorer, "judge");
	cr_assert_str_eq(f.groups[0].of, "prod");
	cr_assert_eq(s->answers, 1);
	cr_assert_eq(s->tokens, 3);
	cr_assert_eq(s->positions, 3);
	cr_assert_eq(s->tops, 3);
	cr_assert_eq(s->tops_equal, 2);
	/* +0.5, +0.5, -1.0 */
	cr_assert_float_eq(s->values[FORCED_LOGPROB].value, 0, 1e-6);
	cr_assert_float_eq(s->values[FORCED_LOGPROB_SQUARE].value, 1.5 / 3, 1e-6);
	cr_assert_float_eq(s->values[FORCED_OWN].value, -2.0, 1e-6);
	cr_assert_float_eq(s->values[FORCED_SCORER].value, -2.0, 1e-6);
	cr_assert_eq(f.groups[0].splits[DECODING_GREEDY].answers, 0);
	forced_finish(&f);
}

Test(forced, splits_add_up_to_the_whole)
{
	struct forced f = {0};
	add(&f, ANSWER, SCORES, 1, DECODING_SAMPLED);
	add(&f, ANSWER, SCORES, 1, DECODING_GREEDY);
	add(&f, ANSWER, SCORES, 1, DECODING_GREEDY);
	const struct forced_split *all = settle(&f, N_DECODINGS);
	cr_assert_eq(f.groups[0].legs, 3);
	cr_assert_eq(all->answers, 3);
	cr_assert_eq(all->positions, 9);
	cr_assert_eq(all->tops_equal, 6);
	cr_assert_eq(all->means, 3);
	forced_finish(&f);
}

Test(forced, positions_where_boundaries_differ_do_not_count)
{
	struct forced f = {0};
	add(&f, ANSWER,
	        TOLD("ab c d!", "[\"a\",\"b c\",\" d\",\"!\"]", "[null,-1.5,-2.0,-9.0]", "null",
	                "length"),
	        1, DECODING_GREEDY);
	const struct forced_split *s = settle(&f, DECODING_GREEDY);
	cr_assert_eq(s->positions, 1);
	cr_assert_eq(s->tokens, 3);
	cr_assert_eq(s->tops, 0, "no alternatives were given");
	cr_assert_float_eq(s->values[FORCED_LOGPROB].value, -1.0, 1e-6);
	forced_finish(&f);
}

Test(forced, what_gives_no_position_is_counted_by_its_reason)
{
	struct forced f = {0};
	add(&f, NULL, SCORES, 1, DECODING_GREEDY);
	add(&f, ANSWER, NULL, 1, DECODING_GREEDY);
	add(&f, "{\"choices\":[{\"index\":0,\"text\":\"b\",\"finish_reason\":\"stop\"}]}", SCORES,
	        1, DECODING_GREEDY);
	add(&f, TOLD("zz", "[\"zz\"]", "[-1]", "null", "stop"), SCORES, 1, DECODING_GREEDY);
	/* Numbers out of a file may be anything. */
	add(&f, ANSWER, SCORES, 4000000000u, DECODING_GREEDY);
	const struct forced_group *g = &f.groups[0];
	cr_assert_eq(g->legs, 5);
	cr_assert_eq(g->unreadable, 2);
	cr_assert_eq(g->without, 1);
	cr_assert_eq(g->unmatched, 2);
	cr_assert_null(g->clusters[DECODING_GREEDY]);
	forced_finish(&f);
}

Test(forced, missing_logprobs_leave_the_sums_alone)
{
	struct forced f = {0};
	add(&f, TOLD("b c", "[\"b\",\" c\"]", "[null,-2.0]", "null", "length"),
	        TOLD("ab c!", "[\"a\",\"b\",\" c\",\"!\"]", "[null,-1.5,-9999.0,-1]", "null",
	                "length"),
	        1, DECODING_GREEDY);
	const struct forced_split *s = settle(&f, DECODING_GREEDY);
	cr_assert_eq(s->positions, 2);
	cr_assert_eq(s->logprobs, 0);
	cr_assert(isnan(s->values[FORCED_OWN].value));
	cr_assert_eq(s->means, 0);
	forced_finish(&f);
}

Test(forced, a_scored_leg_is_no_answer_to_be_paired)
{
	struct leg_row primary = leg("prod", ROLE_PRIMARY, 1),
	               copy = leg("judge", ROLE_REFERENCE, 2);
	struct capture_leg legs[] = {
	        {.row = primary}, {.row = copy}, {.row = scores_of(&primary, "judge", 1)}};
	struct capture_exchange e = {.legs = legs, .n_legs = 3};
	struct pair pairs[3];
	const struct pair_wish any = {0}, one = {{.name = "judge"}, {.name = "judge"}};
	const struct pair_wish two = {{.name = "judge"}, {.name = "prod"}};
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
static void fill(struct forced *f, size_t clusters, size_t of_each)
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

Test(forced, intervals_count_prompts_and_not_answers)
{
	struct forced once = {0}, often = {0};
	fill(&once, 40, 1);
	fill(&often, 40, 20);
	forced_settle(&once);
	forced_settle(&often);
	for (size_t f = 0; f < N_FORCED; f++) {
		const struct estimate *a = &once.groups[0].splits[DECODING_SAMPLED].values[f];
		const struct estimate *b = &often.groups[0].splits[DECODING_SAMPLED].values[f];
		cr_assert_eq(b->clusters, 40);
		cr_assert_float_eq(a->value, b->value, 1e-9);
		/* A rate's exact interval knows of more answers; it never gets much narrower. */
		cr_assert_geq(
		        b->ci.high - b->ci.low, 0.75 * (a->ci.high - a->ci.low) - 1e-9, "%zu", f);
	}
	const struct estimate *top =
	        &often.groups[0].splits[DECODING_SAMPLED].values[FORCED_SAME_TOP];
	cr_assert(top->ci.low < top->value && top->value < top->ci.high);
	forced_finish(&once);
	forced_finish(&often);
}

Test(forced, one_cluster_gives_no_interval)
{
	struct forced f = {0};
	fill(&f, 1, 30);
	forced_settle(&f);
	const struct estimate *v = f.groups[0].splits[DECODING_SAMPLED].values;
	cr_assert(isnan(v[FORCED_LOGPROB].ci.low));
	cr_assert_float_eq(v[FORCED_LOGPROB].value, 0, 1e-6);
	cr_assert(isnan(f.groups[0].splits[DECODING_GREEDY].values[FORCED_LOGPROB].value));
	forced_finish(&f);
}

Test(forced, the_k3_score_is_of_every_position)
{
	struct forced f = {0};
	add(&f, ANSWER, SCORES, 1, DECODING_SAMPLED);
	forced_settle(&f);
	/* exp(d) - 1 - d at d = -0.5, -0.5, 1. */
	double want = (2 * (exp(-0.5) - 0.5) + exp(1) - 2) / 3;
	cr_assert_float_eq(
	        f.groups[0].splits[DECODING_SAMPLED].values[FORCED_K3].value, want, 1e-6);
	cr_assert_float_eq(f.groups[0].splits[N_DECODINGS].values[FORCED_K3].value, want, 1e-6);
	forced_finish(&f);
}

static void add_number(void *block, uint64_t i)
{
	char of[16];
	snprintf(of, sizeof(of), "of%02u", (unsigned)(i * 7 % 70));
	struct score_row row = {
	        .scorer = "judge",
	        .scorer_role = i % 2 ? ROLE_REFERENCE : ROLE_CANDIDATE,
	        .result = (enum score_result)(i % 9 < N_SCORE_RESULTS ? i % 9 : SCORE_COUNTS),
	        .of = of,
	        .of_role = ROLE_PRIMARY,
	        .cluster = {(uint8_t)(i % 90)},
	        .decoding = (enum decoding)(i % N_DECODINGS),
	};
	if (row.result == SCORE_COUNTS) {
		row.tokens = 9;
		row.positions = 7;
		row.tops = row.logprobs = 1 + i % 5;
		row.tops_equal = i % 2;
		row.own = -fabs(merging_value(i));
		row.by_scorer = -fabs(merging_value(i + 1));
		row.delta_squares = fabs(merging_value(i + 2));
		row.k3 = fabs(merging_value(i + 3));
	}
	forced_add(block, &row);
}

static void merge_blocks(void *block, const void *other)
{
	forced_merge(block, other);
}

static void say(void *block, struct buf *to)
{
	struct forced *f = block;
	forced_settle(f);
	buf_printf(to, "%lu %lu", f->ungrouped, f->orphans);
	for (size_t i = 0; i < f->n_groups; i++) {
		const struct forced_group *g = &f->groups[i];
		buf_printf(to, "\n%s %s %d %lu %lu %lu %lu", g->scorer, g->of, (int)g->scorer_role,
		        g->legs, g->without, g->unmatched, g->unreadable);
		for (size_t d = 0; d <= N_DECODINGS; d++) {
			const struct forced_split *s = &g->splits[d];
			buf_printf(to, " %lu %lu %lu", s->answers, s->tops_equal, s->logprobs);
			for (size_t k = 0; k < N_FORCED; k++) {
				buf_printf(to, " %.17g %.17g", s->values[k].value,
				        s->values[k].ci.low);
			}
		}
	}
}

static void finish(void *block)
{
	forced_finish(block);
}

Test(forced, order_and_grouping_do_not_matter)
{
	const struct merging m = {
	        sizeof(struct forced), 1500, add_number, merge_blocks, say, finish};
	merging_check(&m);
}
