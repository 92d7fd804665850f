#include "analyzer/fold/draws.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document/document_parts.h"
#include "analyzer/report/node.h"
#include "analyzer/rows/examine_draws.h"
#include "analyzer/rows/row_writer.h"
#include "answers/tokens/columns.h"
#include "seeded.h"

#define CANDIDATES 24
#define LISTED 20
#define TOKENS 64
#define ANSWERS 125

/* An engine with a known sampler; 0: as requested. */
struct sampler {
	double temperature, asked; /* 0: 1 */
	int top_k;
	double top_p, min_p;
	double repetition, presence, frequency; /* nats */
	double hidden; /* nats: a penalty of a quarter of all words, whether or not they were seen */
	bool lists_after, end_listed,
	        extra;              /* temperature; an end token; the choice behind the list */
	const char *replica, *name; /* name: NULL: prod */
	double asked_top_p;         /* 0: none */
	int missing;                /* tokens that some lists lack */
	int missing_every;          /* how many lists one of them is of; 0: 2 */
	int repeats;                /* earlier answers that each one is the same as */
	int answers_a_seed;         /* 0: no seeds */
	bool rival; /* the second best candidate is the token before, half a nat below the best */
};

static double unit(void)
{
	return ((double)(rnd() >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(unit())) * cos(2 * M_PI * unit());
}

/* One position of the model: candidates by falling probability. */
struct made_position {
	uint32_t word[CANDIDATES];
	double lp[CANDIDATES], drawn[CANDIDATES];
};

static void normalise(double *lp, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += exp(lp[i]);
	}
	for (size_t i = 0; i < n; i++) {
		lp[i] -= log(sum);
	}
}

static void make_position(struct made_position *p, bool end_listed)
{
	for (size_t i = 0; i < CANDIDATES; i++) {
		double lp = 2 * normal();
		size_t at = i;
		for (; at > 0 && p->lp[at - 1] < lp; at--) {
			p->lp[at] = p->lp[at - 1];
			p->word[at] = p->word[at - 1];
		}
		p->lp[at] = lp;
		p->word[at] = (uint32_t)(below(2) * 1000 + i * 2 + below(2));
	}
	if (end_listed) {
		p->word[3] = UINT32_MAX;
	}
	normalise(p->lp, CANDIDATES);
}

static void sample_from(struct made_position *p, const struct sampler *s, const uint32_t *seen)
{
	double t = s->temperature > 0 ? s->temperature : s->asked > 0 ? s->asked : 1, mass = 0;
	for (size_t i = 0; i < CANDIDATES; i++) {
		uint32_t count = p->word[i] < 2000 ? seen[p->word[i]] : 0;
		double shift = s->frequency * count + (count ? s->presence + s->repetition
		                                              : p->word[i] % 4 == 0 ? s->hidden
		                                                                    : 0);
		bool cut = (s->top_k && i >= (size_t)s->top_k) ||
		           (s->top_p > 0 && mass >= s->top_p) ||
		           exp(p->lp[i] - p->lp[0]) < s->min_p || p->word[i] == UINT32_MAX;
		mass += exp(p->lp[i]);
		p->drawn[i] = cut ? -INFINITY : (p->lp[i] - shift) / t;
	}
	normalise(p->drawn, CANDIDATES);
}

static size_t draw(const struct made_position *p)
{
	double left = unit();
	size_t i = 0;
	while (i + 1 < CANDIDATES && (left -= exp(p->drawn[i])) > 0) {
		i++;
	}
	return i;
}

static struct span word_of(uint32_t word, char text[16])
{
	snprintf(text, 16, word == UINT32_MAX ? "<|end|>" : " w%u", word);
	return span_of(text);
}

static void make_answer(const struct sampler *s, struct choice *ret)
{
	struct columns_builder *b = columns_builder_create();
	uint32_t seen[2000] = {0}, last = 0;
	size_t every = s->missing_every ? (size_t)s->missing_every : 2;
	for (size_t i = 0; i < TOKENS; i++) {
		struct made_position p;
		char text[16];
		make_position(&p, s->end_listed);
		if (s->rival && i > 0) {
			p.word[1] = last;
			p.lp[1] = p.lp[0] - 0.5;
			normalise(p.lp, CANDIDATES);
		}
		sample_from(&p, s, seen);
		size_t chosen = draw(&p);
		double t = s->temperature > 0 ? s->temperature : s->asked > 0 ? s->asked : 1;
		for (size_t k = 0; s->lists_after && k < CANDIDATES; k++) {
			p.lp[k] /= t;
		}
		normalise(p.lp, CANDIDATES);
		size_t listed = LISTED - (size_t)(i % every == every - 1 ? s->missing : 0);
		for (size_t k = 0; k < listed; k++) {
			columns_builder_row(b, word_of(p.word[k], text), -1, (float)p.lp[k]);
		}
		if (s->extra && chosen >= LISTED) {
			columns_builder_row(
			        b, word_of(p.word[chosen], text), -1, (float)p.lp[chosen]);
		}
		last = p.word[chosen];
		seen[last]++;
		columns_builder_commit(
		        b, word_of(p.word[chosen], text), -1, (float)p.lp[chosen], 0);
	}
	*ret = (struct choice){.has_columns = true};
	columns_builder_end(b, &ret->columns);
}

static void add_answers(struct draws *d, const struct sampler *s, int n)
{
	static const struct request_words NONE;
	for (int i = 0; i < n; i++) {
		struct choice choice;
		struct draws_row row = {
		        .backend = s->name ? s->name : "prod",
		        .replica = s->replica,
		        .lists = s->lists_after ? LOGPROBS_UNKNOWN : LOGPROBS_RAW,
		        .temperature = s->asked > 0 ? s->asked : 1,
		        .seed = s->answers_a_seed ? 1 + (uint64_t)(i / s->answers_a_seed) : 0,
		};
		double top_p = s->asked_top_p > 0 ? s->asked_top_p : 1;
		struct draws_input in = {&choice, &NONE, {row.temperature, 0, top_p, 0}};
		double chance;
		make_answer(s, &choice);
		row.excluded = examine_draws(&in, &row, &chance);
		cr_assert_eq(row.excluded, DRAWS_COUNTS);
		row.counts.repeats_pairs = row.counts.repeats_identical = (uint64_t)s->repeats;
		draws_add(d, &row);
		columns_finish(&choice.columns);
	}
}

Test(draws, a_row_takes_at_most_4_kib)
{
	static const struct request_words NONE;
	static const char NAME[] = "a name of 32 bytes, not much less";
	const struct sampler s = {.asked = 0.7};
	struct row row = {.type = DRAWS_ROW,
	        .draws = {.backend = NAME, .model = NAME, .replica = NAME, .temperature = 0.7}};
	struct choice choice;
	struct draws_input in = {&choice, &NONE, {0.7, 0, 1, 0}};
	struct buf text = {0};
	double chance;
	make_answer(&s, &choice);
	cr_assert_eq(examine_draws(&in, &row.draws, &chance), DRAWS_COUNTS);
	row_put_json(&text, &row);
	cr_expect_leq(text.len, 4096);
	columns_finish(&choice.columns);
	buf_finish(&text);
}

static struct draws_findings examine(const struct sampler *s)
{
	struct draws d = {0};
	add_answers(&d, s, ANSWERS);
	draws_settle(&d);
	cr_assert_eq(d.n_groups, 1);
	struct draws_findings f = d.groups[0].found;
	draws_finish(&d);
	return f;
}

/* The names of all findings. */
static const char *named(const struct sampler *s)
{
	static char names[256];
	struct draws d = {0};
	names[0] = '\0';
	add_answers(&d, s, ANSWERS);
	draws_settle(&d);
	for (size_t f = 0; f < N_DRAWS_FINDINGS; f++) {
		if (draws_finding_is_there(&d.groups[0], (enum draws_finding)f)) {
			size_t n = strlen(names);
			snprintf(names + n, sizeof(names) - n, "%s%s", n ? " " : "",
			        draws_finding_name((enum draws_finding)f));
		}
	}
	draws_finish(&d);
	return names;
}

Test(draws, a_sound_engine_draws_as_asked)
{
	const struct sampler sound = {0}, cool = {.asked = 0.7}, hot = {.asked = 1.3};
	cr_expect_str_eq(named(&sound), "");
	cr_expect_str_eq(named(&cool), "");
	cr_expect_str_eq(named(&hot), "");
	struct draws_findings f = examine(&sound);
	cr_expect_eq(f.tests[DRAWS_FINDING_TEMPERATURE].state, DRAWS_AS_ASKED);
	cr_expect_float_eq(f.temperature.ratio, 1, 0.05);
	cr_expect_eq(f.tokens, ANSWERS * TOKENS);
}

Test(draws, an_unasked_temperature_is_named_with_its_size)
{
	const struct sampler cool = {.temperature = 0.7}, hot = {.temperature = 1.25};
	cr_expect_str_eq(named(&cool), "temperature");
	cr_expect_str_eq(named(&hot), "temperature");
	struct draws_findings f = examine(&cool);
	cr_expect(f.temperature.ci.low < 0.7 && f.temperature.ci.high > 0.7);
	cr_expect_float_eq(f.temperature.ratio, 0.7, 0.03);
}

Test(draws, a_temperature_beyond_the_examined_range_has_one_end)
{
	const struct sampler hot = {.temperature = 1.2, .asked = 0.2};
	struct draws d = {0};
	add_answers(&d, &hot, ANSWERS);
	draws_settle(&d);
	const struct draws_temperature *t = &d.groups[0].found.temperature;
	cr_expect_eq(d.groups[0].found.tests[DRAWS_FINDING_TEMPERATURE].state, DRAWS_NOT_AS_ASKED);
	cr_expect(t->ci.low > 3 && isinf(t->ci.high), "%g to %g", t->ci.low, t->ci.high);
	char *phrase = draws_side_phrase(&d.groups[0], DRAWS_FINDING_TEMPERATURE);
	cr_expect(strstr(phrase, "a temperature of at least 0.") == phrase, "%s", phrase);
	free(phrase);
	draws_finish(&d);
}

Test(draws, the_largest_difference_of_a_rank_has_an_interval)
{
	const struct sampler sound = {0}, cool = {.temperature = 0.5};
	const struct draws_calibration of_sound = examine(&sound).calibration;
	const struct draws_calibration of_cool = examine(&cool).calibration;
	cr_expect(of_sound.off_ci.low <= of_sound.off && of_sound.off <= of_sound.off_ci.high);
	cr_expect_lt(of_sound.off, 0.02);
	cr_expect_gt(of_cool.off_ci.low, 0.1);
}

Test(draws, lists_after_temperature_cannot_tell_it)
{
	const struct sampler after = {.asked = 0.6, .lists_after = true};
	const struct sampler unasked = {.temperature = 0.6, .lists_after = true};
	cr_expect_str_eq(named(&after), "");
	struct draws_findings f = examine(&after);
	cr_expect_eq(f.lists, LOGPROBS_AFTER_TEMPERATURE);
	cr_expect_eq(f.tests[DRAWS_FINDING_TEMPERATURE].state, DRAWS_CANNOT_BE_TOLD);
	f = examine(&unasked);
	cr_expect_eq(f.lists, LOGPROBS_UNKNOWN);
	cr_expect_eq(f.tests[DRAWS_FINDING_TEMPERATURE].state, DRAWS_CANNOT_BE_TOLD);
}

/* With few tokens, nothing shows yet whether the lists are before or after temperature. */
Test(draws, lists_of_unknown_kind_raise_no_alarm)
{
	const struct sampler after = {.asked = 0.6, .lists_after = true};
	for (int i = 0; i < 20; i++) {
		struct draws d = {0};
		add_answers(&d, &after, 4);
		draws_settle(&d);
		cr_expect_neq(d.groups[0].found.tests[DRAWS_FINDING_TEMPERATURE].state,
		        DRAWS_NOT_AS_ASKED);
		cr_expect_neq(d.groups[0].found.tests[DRAWS_FINDING_CALIBRATION].state,
		        DRAWS_NOT_AS_ASKED);
		cr_expect_eq(d.groups[0].found.tests[DRAWS_FINDING_PENALTY].state, DRAWS_TOO_FEW);
		draws_finish(&d);
	}
}

Test(draws, cuts_are_told_apart)
{
	const struct sampler top_k = {.top_k = 10}, top_p = {.top_p = 0.9}, min_p = {.min_p = 0.05};
	cr_expect_str_eq(named(&top_k), "top_k");
	cr_expect_str_eq(named(&top_p), "top_p");
	cr_expect_str_eq(named(&min_p), "min_p");
	struct draws_findings f = examine(&top_k);
	cr_expect_eq(f.cuts[0].at, 10);
	cr_expect_eq(f.cuts[0].wider, 8);
}

/* Adds an answer in which this many draws beyond the cut are expected, and none is. */
static void add_cut(struct draws_row *row, enum draws_family family, double at, double expected)
{
	for (size_t c = 0; c < DRAWS_CUTS; c++) {
		bool is_it = DRAWS_CUT[c].family == family && DRAWS_CUT[c].at == at;
		for (size_t m = 0; m < DRAWS_MIDDLE && is_it; m++) {
			row->sums.cut[c][m] = expected;
		}
	}
}

static struct draws_findings with_cuts(double top_p, double min_p)
{
	struct draws d = {0};
	struct draws_row row = {.backend = "prod",
	        .lists = LOGPROBS_RAW,
	        .temperature = 1,
	        .counts = {.tokens = 1000, .draws = 1000}};
	add_cut(&row, DRAWS_TOP_P, 0.9, top_p);
	add_cut(&row, DRAWS_MIN_P, 0.1, min_p);
	draws_add(&d, &row);
	draws_settle(&d);
	struct draws_findings f = d.groups[0].found;
	draws_finish(&d);
	return f;
}

Test(draws, a_cut_is_not_named_while_the_draws_fit_several_kinds)
{
	struct draws_findings f = with_cuts(30, 28);
	cr_expect_eq(f.tests[DRAWS_FINDING_TOP_P].state, DRAWS_TOO_FEW);
	cr_expect_eq(f.tests[DRAWS_FINDING_MIN_P].state, DRAWS_TOO_FEW);
	f = with_cuts(30, 20);
	cr_expect_eq(f.tests[DRAWS_FINDING_TOP_P].state, DRAWS_NOT_AS_ASKED);
	cr_expect_neq(f.tests[DRAWS_FINDING_MIN_P].state, DRAWS_NOT_AS_ASKED);
	cr_expect_eq(f.cuts[1].at, 0.9);
}

Test(draws, a_cut_at_another_temperature_is_told_as_both)
{
	const struct sampler both = {.top_k = 10, .temperature = 0.7};
	cr_expect_str_eq(named(&both), "temperature top_k");
}

Test(draws, beyond_the_list_no_cut_is_seen)
{
	const struct sampler top_k = {.top_k = LISTED};
	cr_expect_str_eq(named(&top_k), "");
}

static void expect_shift(const struct sampler *s, double nats)
{
	struct draws_findings f = examine(s);
	const struct draws_shift *shift = draws_penalty_shift(&f.penalty);
	cr_expect(shift->ci.low < nats && shift->ci.high > nats, "%f", shift->nats);
}

Test(draws, penalties_are_told_with_their_size)
{
	const struct sampler presence = {.presence = 0.5}, frequency = {.frequency = 0.3},
	                     raised = {.presence = -0.5};
	cr_expect_str_eq(named(&presence), "penalty");
	cr_expect_str_eq(named(&raised), "penalty");
	expect_shift(&presence, 0.5);
	expect_shift(&raised, -0.5);
	expect_shift(&frequency, 0.3);
	cr_expect_eq(examine(&frequency).penalty.kind, DRAWS_FREQUENCY);
}

static void expect_temperature(const struct sampler *s, const char *text)
{
	struct draws d = {0};
	struct buf b = {0};
	add_answers(&d, s, ANSWERS);
	draws_settle(&d);
	draws_text_put_temperature(&b, &d.groups[0]);
	cr_expect_not_null(strstr(buf_cstr(&b), text), "%s", buf_cstr(&b));
	buf_finish(&b);
	draws_finish(&d);
}

Test(draws, a_temperature_whose_interval_has_no_ends_is_unknown)
{
	struct draws_group g = {
	        .found = {
	                .tests[DRAWS_FINDING_TEMPERATURE].state = DRAWS_NOT_AS_ASKED,
	                .temperature = {.asked = 0.7, .ratio = 1, .ci = {0, INFINITY}},
	        }};
	struct buf b = {0};
	draws_text_put_temperature(&b, &g);
	cr_expect_str_eq(buf_cstr(&b), "draws at an unknown temperature where 0.7 was requested");
	buf_finish(&b);
}

/* A penalty also moves tokens of the chat template, which are no words of the request. The draws
 * then look like those of a higher temperature. */
Test(draws, a_penalty_hides_a_temperature_unless_it_is_lower)
{
	const struct sampler penalty = {.repetition = 2, .hidden = 2},
	                     both = {.repetition = 2, .hidden = 2, .temperature = 0.5},
	                     above = {.repetition = 2, .asked = 0.6, .temperature = 1};
	cr_expect_str_eq(named(&penalty), "penalty");
	cr_expect_eq(
	        examine(&penalty).tests[DRAWS_FINDING_TEMPERATURE].state, DRAWS_CANNOT_BE_TOLD);
	cr_expect_str_eq(named(&above), "penalty");
	cr_expect_str_eq(named(&both), "temperature penalty");
	struct draws_temperature t = examine(&both).temperature;
	expect_temperature(&penalty, "has a penalty, which hides the temperature");
	expect_temperature(&both, "draws at a temperature of at most 0.");
	cr_expect(t.ci.low == 0 && t.ci.high > 0.5 && t.ci.high < 0.97);
}

/* Such an engine takes the most probable token, whether or not the answer contains it already. */
Test(draws, an_engine_that_never_samples_shows_no_penalty)
{
	const struct sampler greedy = {.top_k = 1, .rival = true};
	cr_expect_eq(examine(&greedy).tests[DRAWS_FINDING_PENALTY].state, DRAWS_CANNOT_BE_TOLD);
}

Test(draws, the_kind_of_a_penalty_is_not_named_before_the_penalty_is)
{
	const struct sampler sound = {0};
	for (uint64_t i = 0; i < 20; i++) {
		random_state = i;
		struct draws_findings f = examine(&sound);
		cr_expect_eq(f.penalty.kind, N_DRAWS_PENALTIES);
		cr_expect_eq(draws_penalty_shift(&f.penalty), &f.penalty.shifts[DRAWS_PRESENCE]);
	}
}

Test(draws, end_tokens_that_have_no_row_are_no_candidates)
{
	const struct sampler sound = {.end_listed = true};
	cr_expect_str_eq(named(&sound), "");
}

Test(draws, a_choice_behind_the_list_is_no_candidate)
{
	const struct sampler sound = {.extra = true};
	cr_expect_str_eq(named(&sound), "");
	cr_expect(examine(&sound).draws < ANSWERS * TOKENS);
}

Test(draws, lists_that_nobody_asked_to_cut_show_a_filter)
{
	const struct sampler filtered = {.missing = 5},
	                     asked = {.missing = 5, .asked_top_p = 0.99, .top_p = 0.99},
	                     of_equal_text = {.missing = 3, .missing_every = 20};
	cr_expect_str_eq(named(&filtered), "filtered_lists");
	cr_expect_str_eq(named(&asked), "");
	cr_expect_str_eq(named(&of_equal_text), "");
}

Test(draws, answers_that_come_again_say_nothing_else)
{
	const struct sampler again = {.repeats = 1, .temperature = 0.6},
	                     greedy = {.repeats = 1, .top_k = 1};
	cr_expect_str_eq(named(&again), "repeats");
	cr_expect_eq(examine(&again).tests[DRAWS_FINDING_TEMPERATURE].state, DRAWS_CANNOT_BE_TOLD);
	cr_expect(strstr(named(&greedy), "top_k") && strstr(named(&greedy), "repeats"));
}

/* An engine that is sure of its tokens shows a cut only after 10^18 draws. */
Test(draws, an_absurd_number_of_draws_is_not_advised)
{
	struct draws d = {0};
	const struct sampler sound = {0};
	add_answers(&d, &sound, 2);
	draws_settle(&d);
	struct draws_test *tests = d.groups[0].found.tests;
	for (size_t k = DRAWS_FINDING_TOP_K; k <= DRAWS_FINDING_MIN_P; k++) {
		tests[k] = (struct draws_test){.p = 1, .state = DRAWS_TOO_FEW, .needed = NAN};
		d.groups[0].found.cuts[k - DRAWS_FINDING_TOP_K] = (struct draws_cut_found){0};
	}
	tests[DRAWS_FINDING_TOP_K].needed = 4.1e18;
	tests[DRAWS_FINDING_TOP_P].needed = 6312;
	tests[DRAWS_FINDING_MIN_P].needed = 1e30;
	tests[DRAWS_FINDING_TEMPERATURE].state = DRAWS_AS_ASKED;
	tests[DRAWS_FINDING_PENALTY].needed = 4001;
	json_t *list = document_draws(&d);
	const char *text = node_text(json_array_get(list, 0), "text");
	cr_expect_not_null(strstr(text, "; to see a penalty of 0.1 nats, about 4,100 draws are "
	                                "needed; to see a top_p of 0.95, about 6,400"),
	        "%s", text);
	cr_expect_null(strstr(text, "top_k"), "%s", text);
	cr_expect_null(strstr(text, "min_p"), "%s", text);
	json_decref(list);
	draws_finish(&d);
}

Test(draws, one_bad_replica_of_four_is_found)
{
	struct draws d = {0};
	struct buf text = {0};
	const struct sampler servers[] = {{.replica = "1"}, {.replica = "2", .temperature = 0.6},
	        {.replica = "3"}, {.replica = "4"}};
	for (size_t i = 0; i < 4; i++) {
		add_answers(&d, &servers[i], ANSWERS / 2);
	}
	draws_settle(&d);
	cr_assert_eq(d.n_groups, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(d.groups[i].found.tests[DRAWS_FINDING_TEMPERATURE].state ==
		                     DRAWS_NOT_AS_ASKED,
		        i == 1);
	}
	draws_text_put_replicas(&text, &d, &d.groups[1], DRAWS_FINDING_TEMPERATURE);
	cr_expect_str_eq(buf_cstr(&text), " (1 of 4 replicas: 2)");
	buf_finish(&text);
	draws_finish(&d);
}

Test(draws, answers_that_share_a_seed_say_nothing)
{
	const struct sampler own = {.temperature = 0.6, .answers_a_seed = 1};
	const struct sampler shared = {.temperature = 0.6, .answers_a_seed = 2};
	cr_expect_str_eq(named(&own), "temperature");
	struct draws d = {0};
	add_answers(&d, &shared, ANSWERS);
	draws_settle(&d);
	cr_expect_eq(d.groups[0].answers, 0);
	cr_expect_eq(d.groups[0].excluded[DRAWS_REPEATED], ANSWERS);
	draws_finish(&d);
}

Test(draws, rows_in_any_order_give_the_same_bits)
{
	struct draws ab = {0}, ba = {0};
	const struct sampler one = {.replica = "1"}, two = {.replica = "2", .top_p = 0.9};
	/* The same answers in both: they follow from random_state. */
	for (int i = 0; i < 4; i++) {
		random_state = (uint64_t)i;
		add_answers(&ab, i % 2 ? &one : &two, 10);
		random_state = (uint64_t)(3 - i);
		add_answers(&ba, (3 - i) % 2 ? &one : &two, 10);
	}
	cr_assert_eq(ab.n_groups, 2);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(memcmp(ab.groups[i].cells[0].sums, ba.groups[i].cells[0].sums,
		                     sizeof(ab.groups[i].cells[0].sums)),
		        0);
		cr_assert_eq(ab.groups[i].answers, ba.groups[i].answers);
	}
	draws_finish(&ab);
	draws_finish(&ba);
}

Test(draws, what_both_sides_do_is_no_difference)
{
	struct draws one = {0}, both = {0};
	struct sampler sound = {.name = "base"}, cool = {.temperature = 0.6, .name = "test"};
	add_answers(&one, &sound, ANSWERS);
	add_answers(&one, &cool, ANSWERS);
	draws_settle(&one);
	cr_expect_not_null(draws_side_finding(&one, "test", "base", DRAWS_FINDING_TEMPERATURE));
	cr_expect_null(draws_side_finding(&one, "base", "test", DRAWS_FINDING_TEMPERATURE));
	cr_expect_not_null(draws_side_finding(&one, "test", "scorer", DRAWS_FINDING_TEMPERATURE));
	add_answers(&both, &cool, ANSWERS);
	cool.name = "base";
	add_answers(&both, &cool, ANSWERS);
	draws_settle(&both);
	cr_expect_null(draws_side_finding(&both, "test", "base", DRAWS_FINDING_TEMPERATURE));
	cr_expect_null(draws_side_finding(&both, "base", "test", DRAWS_FINDING_TEMPERATURE));
	draws_finish(&one);
	draws_finish(&both);
}
