#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "analyzer/report/policy/policy_check.h"
#include "analyzer/report/policy/policy_words.h"
#include "analyzer/report/forms/output_format.h"

static void assert_refused(const char *text, const char *sentence)
{
	char *error = NULL;
	struct policy *p = policy_parse("p.yaml", span_of(text), &error);
	cr_assert_null(p, "taken: %s", text);
	cr_assert_str_eq(error, sentence);
	free(error);
}

/* Applies one rule, in YAML flow style, to the analysis. */
static json_t *judged(const char *rule, enum policy_result *ret)
{
	char *error = NULL;
	char *text = xasprintf("rules:\n  - {%s}\n", rule);
	struct policy *p = policy_parse("p.yaml", span_of(text), &error);
	cr_assert_not_null(p, "%s", error);
	json_t *document = analysis();
	*ret = policy_check(p, document);
	cr_assert_eq(policy_result_of(document), *ret);
	policy_destroy(p);
	free(text);
	return document;
}

/* Of the rule's only verdict. */
static void assert_verdict(
        const char *rule, const char *result, const char *why, enum policy_result code)
{
	enum policy_result got;
	json_t *document = judged(rule, &got);
	const json_t *rules = json_object_get(json_object_get(document, "policy"), "rules");
	cr_assert_eq(
	        json_array_size(rules), 1, "%s gives %zu verdicts", rule, json_array_size(rules));
	const json_t *v = json_array_get(rules, 0);
	cr_assert_str_eq(json_string_value(json_object_get(v, "why")), why, "%s", rule);
	cr_assert_str_eq(json_string_value(json_object_get(v, "result")), result, "%s", rule);
	cr_assert_eq(got, code, "%s", rule);
	json_decref(document);
}

static void assert_passes(const char *rule, const char *why)
{
	assert_verdict(rule, "pass", why, POLICY_RESULT_PASS);
}

static void assert_fails(const char *rule, const char *why)
{
	assert_verdict(rule, "fail", why, POLICY_RESULT_FAIL);
}

static void assert_undecided(const char *rule, const char *why)
{
	assert_verdict(rule, "undecided", why, POLICY_RESULT_NOT_ENOUGH);
}

#define HOLDS "the interval contains the limit"
#define ALL_BEYOND "the whole interval is beyond the limit"
#define ALL_WITHIN "the whole interval is within the limit"

Test(policy, what_is_wrong_is_named_with_file_and_line)
{
	assert_refused("rules:\n  - {metric: difer, max: 1%}\n",
	        "p.yaml:2: rules[1].metric: \"difer\" is not a known metric; did you mean differ?");
	assert_refused("rules:\n  - {metric: kl_low.p98, max: 1}\n",
	        "p.yaml:2: rules[1].metric: \"kl_low.p98\" is not a known metric; did you mean "
	        "kl_low.p90?");
	assert_refused("rules:\n  - {metric: zzzzzz, max: 1}\n",
	        "p.yaml:2: rules[1].metric: \"zzzzzz\" is not a known metric");
	assert_refused("rules:\n  - metric: differ\n    maxx: 1%\n    max: 2%\n",
	        "p.yaml:3: rules[1].maxx: is not a known key; did you mean max?");
	assert_refused("rulez: []\n", "p.yaml:1: rulez: is not a known key; did you mean rules?");
	assert_refused("defaults: {minimun_n: 3}\nrules: [{metric: differ, max: 1%}]\n",
	        "p.yaml:1: defaults.minimun_n: is not a known key; did you mean minimum_n?");
	assert_refused("least_effect: 1%\nmin_effect: 2%\nrules: [{metric: differ, max: 1%}]\n",
	        "p.yaml:2: min_effect: is the old name of least_effect: give one of them");
	assert_refused("rules: []\n", "p.yaml:1: rules: rules must be a list of at least one rule");
	assert_refused("", "p.yaml:1: rules must be a list of at least one rule");
	assert_refused("rules: [{max: 1}]\n", "p.yaml:1: rules[1]: a rule needs a metric");
	assert_refused("rules: [{metrik: differ, max: 1%}]\n",
	        "p.yaml:1: rules[1].metrik: is not a known key; did you mean metric?");
	assert_refused("rules: [{metric: differ, mx: 1%}]\n",
	        "p.yaml:1: rules[1].mx: is not a known key; did you mean max?");
	assert_refused(
	        "rules: [{metric: differ}]\n", "p.yaml:1: rules[1]: a rule needs max, min or both");
	assert_refused("rules: [{metric: differ, max: 5}]\n",
	        "p.yaml:1: rules[1].max: differ is a share: write 5% or 0.05, not 5");
	assert_refused("rules: [{metric: hazard, max: 5%}]\n",
	        "p.yaml:1: rules[1].max: hazard is not a share, so its limit has no %");
	assert_refused("rules: [{metric: hazard, max: often}]\n",
	        "p.yaml:1: rules[1].max: must be a number like 0.5, -3 or 20%, not \"often\"");
	assert_refused("rules: [{metric: hazard, min: 5, max: 4}]\n",
	        "p.yaml:1: rules[1].min: is above max");
	assert_refused("rules: [{metric: differ, max: 1%, confidence: wihtin}]\n",
	        "p.yaml:1: rules[1].confidence: must be beyond, estimate or within, not "
	        "\"wihtin\"; "
	        "did you mean within?");
	assert_refused("rules: [{metric: differ, max: 1%, slice: {categry: x}}]\n",
	        "p.yaml:1: rules[1].slice.categry: is not a known key; did you mean category?");
}

Test(policy, what_does_not_go_together_is_refused)
{
	assert_refused("rules: [{metric: kl_low, max: 1, excess: true}]\n",
	        "p.yaml:1: rules[1].metric: has no excess over the floor; differ, answer_changed, "
	        "hazard and top_differs have one");
	assert_refused("rules: [{metric: kl_low, max: 1, each: model}]\n",
	        "p.yaml:1: rules[1].metric: has no slices; differ, answer_changed and "
	        "hazard have them");
	assert_refused("rules: [{metric: differ, max: 1%, each: model, split: sampled}]\n",
	        "p.yaml:1: rules[1].split: slices are of greedy answers only");
	assert_refused("rules: [{metric: left_out.pairs, max: 1, confidence: within}]\n",
	        "p.yaml:1: rules[1].confidence: left_out.pairs has no interval, so only "
	        "estimate is possible");
	assert_refused("rules: [{metric: damaged_rows, max: 1, test: prod}]\n",
	        "p.yaml:1: rules[1].metric: is a figure of the whole capture, not of two backends");
	assert_refused("rules: [{metric: traffic.failed, max: 1%, split: sampled}]\n",
	        "p.yaml:1: rules[1].split: traffic.failed is a figure of all answers together");
	assert_refused("rules: [{metric: sampling.calibration, min: 1%, split: sampled}]\n",
	        "p.yaml:1: rules[1].split: sampling.calibration is a figure of all answers "
	        "together");
	assert_refused("rules: [{metric: teacher_forced.greedy_flips, max: 1%, split: greedy}]\n",
	        "p.yaml:1: rules[1].split: teacher_forced.greedy_flips is a figure of all answers "
	        "together");
	assert_refused("rules: [{metric: differ, max: 1%, each: model, slice: {model: x}}]\n",
	        "p.yaml:1: rules[1].each: give slice (one value) or each (all values), not both");
	assert_refused(
	        "defaults: {split: sampled}\nrules: [{metric: differ, max: 1%, excess: true}]\n",
	        "p.yaml:2: rules[1]: the excess is of greedy answers only");
}

Test(policy, a_share_near_its_limit_has_decimals_and_its_interval)
{
	static const struct {
		double value;
		const char *text;
	} CASES[] = {
	        {0.0501, "5.01 % [4.0 to 6.0]"},
	        {0.050004, "5.0004 % [4.0 to 6.0]"},
	        {0.05, "5.0 % [4.0 to 6.0]"},
	        {0.0512, "5.1 % [4.0 to 6.0]"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		struct buf text = {0};
		json_t *v = json_pack("{s:s, s:f, s:f, s:[f, f]}", "metric", "differ", "max", 0.05,
		        "value", CASES[i].value, "ci95", 0.04, 0.06);
		policy_words_measured(v, &text);
		cr_expect_str_eq(buf_cstr(&text), CASES[i].text);
		buf_finish(&text);
		json_decref(v);
	}
}

Test(policy, beyond_fails_only_when_the_whole_interval_is)
{
	assert_passes("metric: differ, max: 20%", ALL_WITHIN);
	assert_passes("metric: differ, max: 8%", HOLDS);
	assert_fails("metric: differ, max: 6%", ALL_BEYOND);
	assert_passes("metric: differ, max: 7%", HOLDS);
	assert_fails("metric: same_top, min: 99.5%", ALL_BEYOND);
	assert_passes("metric: same_top, min: 99.2%", HOLDS);
	assert_passes("metric: length_bias, min: -1, max: 1", HOLDS);
	assert_fails("metric: length_bias, min: 1, max: 2", ALL_BEYOND);
}

Test(policy, the_estimate_decides_where_it_is_asked_to)
{
	assert_passes("metric: differ, max: 10%, confidence: estimate", "within the limit");
	assert_fails("metric: differ, max: 9.9%, confidence: estimate", "beyond the limit");
	assert_passes("metric: differ, max: 0.1, confidence: estimate", "within the limit");
}

Test(policy, within_wants_it_shown)
{
	assert_passes("metric: differ, max: 13%, confidence: within", ALL_WITHIN);
	assert_undecided("metric: differ, max: 12%, confidence: within", HOLDS);
	assert_fails("metric: differ, max: 6%, confidence: within", ALL_BEYOND);
	assert_passes("metric: length_bias, min: -2, max: 1, confidence: within", ALL_WITHIN);
	assert_undecided("metric: length_bias, min: -1, max: 1, confidence: within", HOLDS);
}

Test(policy, too_little_data_is_neither_pass_nor_fail)
{
	assert_undecided("metric: differ, max: 1%, minimum_n: 401", "n is 400, fewer than 401");
	assert_fails("metric: differ, max: 1%, minimum_n: 400", ALL_BEYOND);
	assert_undecided("metric: hazard, max: 1", "too few for an interval");
	assert_fails("metric: hazard, max: 1, confidence: estimate", "beyond the limit");
	assert_undecided("metric: kl_low, max: 1", "the analysis has no data for it");
	assert_undecided(
	        "metric: kl_low, max: 1, split: sampled", "no answers were decoded this way");
	assert_undecided("metric: differ, max: 1%, test: nobody",
	        "the analysis has no such pair of backends");
	assert_undecided("metric: answer_changed, excess: true, max: 1%",
	        "there is no noise floor to subtract");
	assert_undecided("metric: differ, max: 1%, slice: {category: code}",
	        "the analysis has no such slice");
	assert_undecided("metric: differ, max: 1%, each: model", "the analysis has no such slice");
}

Test(policy, what_undecided_counts_as_is_the_rule_s)
{
	const char *why = "n is 400, fewer than 900";
	assert_verdict("metric: differ, max: 1%, minimum_n: 900, undecided: pass", "undecided", why,
	        POLICY_RESULT_PASS);
	assert_verdict("metric: differ, max: 1%, minimum_n: 900, undecided: fail", "undecided", why,
	        POLICY_RESULT_FAIL);
	assert_verdict("metric: differ, max: 1%, minimum_n: 900, undecided: not-enough",
	        "undecided", why, POLICY_RESULT_NOT_ENOUGH);
}

Test(policy, an_excess_is_what_is_left_over_the_floor)
{
	assert_passes("metric: differ, excess: true, max: 1%", HOLDS);
	assert_fails("metric: differ, excess: true, max: -2%", ALL_BEYOND);
	assert_fails(
	        "metric: differ, excess: true, max: 1%, confidence: estimate", "beyond the limit");
}

Test(policy, backends_are_named_by_name_pattern_or_role)
{
	assert_fails("metric: differ, max: 6%, test: prod, base: trusted", ALL_BEYOND);
	assert_fails("metric: differ, max: 6%, test: 'pr*'", ALL_BEYOND);
	assert_fails("metric: differ, max: 6%, test: primary, base: reference", ALL_BEYOND);
	assert_undecided("metric: differ, max: 6%, test: trusted",
	        "the analysis has no such pair of backends");
}

Test(policy, floors_are_judged_where_they_are_asked_for)
{
	assert_fails("metric: differ, max: 3%, floor: true", ALL_BEYOND);
	assert_passes("metric: differ, max: 5%, floor: true", HOLDS);
}

Test(policy, slices_one_or_each)
{
	assert_passes("metric: differ, max: 9%, slice: {category: number}", ALL_WITHIN);
	assert_fails("metric: differ, max: 9%, slice: {category: open}", ALL_BEYOND);
	assert_undecided("metric: differ, max: 9%, slice: {category: number}, minimum_n: 151",
	        "n is 150, fewer than 151");
	assert_undecided("metric: answer_changed, max: 9%, slice: {category: number}, minimum_n: 3",
	        "n is 2, fewer than 3");
	enum policy_result got;
	json_t *document = judged("metric: differ, max: 9%, each: category", &got);
	const json_t *rules = json_object_get(json_object_get(document, "policy"), "rules");
	cr_assert_eq(json_array_size(rules), 2);
	cr_assert_str_eq(
	        json_string_value(json_object_get(json_array_get(rules, 1), "slice")), "open");
	cr_assert_eq(got, POLICY_RESULT_FAIL, "one of them fails");
	json_decref(document);
}

Test(policy, figures_outside_of_the_figures)
{
	assert_fails("metric: damaged_rows, max: 0", "beyond the limit");
	assert_passes("metric: left_out.test_error, max: 3", "within the limit");
	assert_fails("metric: delta_lp.p99, max: 0.3", "beyond the limit");
	assert_undecided(
	        "metric: delta_lp.p99, max: 0.3, minimum_n: 9000", "n is 8900, fewer than 9000");
	assert_passes("metric: teacher_forced.same_top, min: 99%, test: prod", ALL_WITHIN);
	assert_fails("metric: teacher_forced.logprob_rms, max: 0.09", "beyond the limit");
	assert_undecided("metric: teacher_forced.same_top, min: 99%, test: other",
	        "the analysis has no such pair of backends");
}

Test(policy, traffic_is_of_one_backend)
{
	assert_fails("metric: traffic.ttft.p99, max: 800, test: prod", "beyond the limit");
	assert_passes("metric: traffic.ttft.p99, max: 812.5, test: primary", "within the limit");
	assert_undecided(
	        "metric: traffic.ttft.p99, max: 1, minimum_n: 200", "n is 190, fewer than 200");
	assert_passes("metric: traffic.failed, max: 1.5%", "within the limit");
	assert_fails("metric: traffic.failed, max: 1.4%", "beyond the limit");
	assert_fails("metric: left_out, max: 2%", "beyond the limit");
	assert_undecided("metric: traffic.failed, max: 1%, test: reference",
	        "the analysis has no traffic of such a backend");
	assert_undecided("metric: traffic.itl.p50, max: 1", "the analysis has no data for it");
	assert_refused("rules: [{metric: traffic.failed, max: 1%, base: trusted}]\n",
	        "p.yaml:1: rules[1].metric: is a figure of one backend: name it with test, without "
	        "base");
}

Test(policy, secondary_figures_of_sampled_answers_have_limits)
{
	assert_passes("metric: first_positions.same_top, min: 80%, minimum_n: 200", ALL_WITHIN);
	assert_fails("metric: first_positions.same_top, min: 99%", ALL_BEYOND);
	assert_fails("metric: sampled_test.mmd2, max: 0.01", "beyond the limit");
	assert_fails("metric: sampled_test.p, min: 0.01", "beyond the limit");
}

Test(policy, how_a_backend_draws_its_tokens_has_limits)
{
	assert_fails("metric: sampling.findings, max: 0, test: prod", "beyond the limit");
	assert_fails("metric: sampling.temperature, min: 0.9", ALL_BEYOND);
	assert_passes("metric: sampling.temperature, min: 0.7", ALL_WITHIN);
	assert_passes("metric: sampling.penalty, max: 0.3, minimum_n: 4000", ALL_WITHIN);
	assert_undecided(
	        "metric: sampling.penalty, max: 1, minimum_n: 4001", "n is 4000, fewer than 4001");
	assert_fails("metric: sampling.calibration, max: 2%", ALL_BEYOND);
	assert_fails("metric: sampling.repeats, max: 2", "beyond the limit");
	assert_fails("metric: teacher_forced.greedy_flips, max: 10%", "beyond the limit");
	assert_undecided("metric: sampling.findings, max: 0, test: trusted",
	        "the analysis has no sampled answers of such a backend");
	assert_refused("rules: [{metric: sampling.findings, max: 0, base: trusted}]\n",
	        "p.yaml:1: rules[1].metric: is a figure of one backend: name it with test, without "
	        "base");
}

Test(policy, a_failure_outweighs_what_is_not_known_in_any_order)
{
	static const char *const TEXTS[] = {
	        "rules: [{metric: kl_low, max: 1}, {metric: differ, max: 1%}]",
	        "rules: [{metric: differ, max: 1%}, {metric: kl_low, max: 1}]",
	};
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		char *error = NULL;
		struct policy *p = policy_parse("p.yaml", span_of(TEXTS[i]), &error);
		json_t *document = analysis();
		cr_assert_eq(policy_check(p, document), POLICY_RESULT_FAIL);
		policy_destroy(p);
		json_decref(document);
	}
}

Test(policy, a_document_of_any_shape_is_short_of_data)
{
	static const char *const DOCUMENTS[] = {"{}", "{\"groups\": 3}",
	        "{\"groups\": [1, null, []]}",
	        "{\"groups\": [{\"by_decoding\": {\"greedy\": {\"figures\": {\"differ\": "
	        "\"much\"}}}}]}",
	        "{\"groups\": [{\"by_decoding\": {\"greedy\": {\"figures\": {\"differ\": "
	        "{\"value\": "
	        "0.1, \"ci95\": [1, 0]}}}}}]}"};
	for (size_t i = 0; i < ARRAY_LEN(DOCUMENTS); i++) {
		char *error = NULL;
		struct policy *p =
		        policy_parse("p", SPAN("rules: [{metric: differ, max: 1%}]"), &error);
		json_t *document = json_loads(DOCUMENTS[i], 0, NULL);
		cr_assert_eq(
		        policy_check(p, document), POLICY_RESULT_NOT_ENOUGH, "%s", DOCUMENTS[i]);
		policy_destroy(p);
		json_decref(document);
	}
}

Test(policy, defaults_hold_until_a_rule_says_otherwise)
{
	char *error = NULL;
	struct policy *p = policy_parse("p.yaml",
	        SPAN("defaults: {split: sampled, confidence: within, minimum_n: 7, undecided: "
	             "fail}\n"
	             "rules:\n"
	             "  - {metric: differ, max: 1%}\n"
	             "  - {metric: differ, max: 1%, split: greedy, minimum_n: 1, confidence: "
	             "beyond,\n"
	             "     undecided: pass}\n"
	             "  - {metric: left_out.pairs, max: 1}\n"),
	        &error);
	cr_assert_not_null(p, "%s", error);
	cr_assert_eq(p->n, 3);
	const struct policy_rule *a = &p->rules[0], *b = &p->rules[1];
	cr_assert_str_eq(a->split, "sampled");
	cr_assert(
	        a->confidence == POLICY_WITHIN && a->minimum_n == 7 && a->undecided == POLICY_FAIL);
	cr_assert_str_eq(b->split, "greedy");
	cr_assert(
	        b->confidence == POLICY_BEYOND && b->minimum_n == 1 && b->undecided == POLICY_PASS);
	cr_assert_eq(p->rules[2].confidence, POLICY_ESTIMATE, "it has no interval");
	policy_destroy(p);
}

/* A policy of several keys, held against the analysis as it was changed. */
static json_t *held(const char *text, json_t *document, enum policy_result *ret)
{
	char *error = NULL;
	struct policy *p = policy_parse("p.yaml", span_of(text), &error);
	cr_assert_not_null(p, "%s", error);
	*ret = policy_check(p, document);
	policy_destroy(p);
	return json_object_get(document, "policy");
}

static const json_t *verdict_of(const json_t *policy, size_t i)
{
	return json_array_get(json_object_get(policy, "rules"), i);
}

static void assert_why(const json_t *verdict, const char *result, bool small, const char *why)
{
	cr_assert_str_eq(json_string_value(json_object_get(verdict, "result")), result);
	cr_assert_eq(json_is_true(json_object_get(verdict, "small")), small);
	cr_assert_str_eq(json_string_value(json_object_get(verdict, "why")), why);
}

Test(policy, a_minimum_effect_is_of_all_shares_or_of_a_metric_or_of_a_rule)
{
	enum policy_result result;
	json_t *document = analysis();
	/* It differs in 10 % [7 to 13]. */
	const json_t *policy = held("least_effect: {default: 4%, same_top: 0.5%}\n"
	                            "rules:\n"
	                            "  - {metric: differ, max: 6.5%}\n"
	                            "  - {metric: differ, max: 5%}\n"
	                            "  - {metric: differ, max: 5%, least_effect: 6%}\n"
	                            "  - {metric: same_top, min: 99.5%}\n"
	                            "  - {metric: same_top, min: 99.7%}\n"
	                            "  - {metric: delta_lp.p99, max: 0.3}\n",
	        document, &result);
	assert_why(verdict_of(policy, 0), "pass", true,
	        "the whole interval is beyond the limit, but by less than the least effect of "
	        "4.0 %");
	assert_why(verdict_of(policy, 1), "fail", false, "the whole interval is beyond the limit");
	assert_why(verdict_of(policy, 2), "pass", true,
	        "the whole interval is beyond the limit, but by less than the least effect of "
	        "6.0 %");
	assert_why(verdict_of(policy, 3), "pass", true,
	        "the whole interval is beyond the limit, but by less than the least effect of "
	        "0.5 %");
	assert_why(verdict_of(policy, 4), "fail", false, "the whole interval is beyond the limit");
	assert_why(verdict_of(policy, 5), "fail", false, "beyond the limit");
	cr_assert_eq(result, POLICY_RESULT_FAIL);
	json_decref(document);
}

Test(policy, a_minimum_effect_is_checked_as_limits_are)
{
#define RULES "\nrules:\n  - {metric: differ, max: 1%}\n"
	assert_refused("least_effect: {diffr: 1%}" RULES,
	        "p.yaml:1: least_effect.diffr: is not a known key; did you mean differ?");
	assert_refused("least_effect: {hazard: 1%}" RULES,
	        "p.yaml:1: least_effect.hazard: hazard is not a share, so its limit has no %");
	assert_refused("least_effect: {differ: -1%}" RULES,
	        "p.yaml:1: least_effect.differ: must be 0 or more");
	assert_refused("least_effect:\n  differ: 5" RULES,
	        "p.yaml:2: least_effect.differ: differ is a share: write 5% or 0.05, not 5");
	assert_refused(
	        "on_alarm: cry" RULES, "p.yaml:1: on_alarm: must be tell or fail, not \"cry\"");
	assert_refused("rules:\n  - {metric: hazard, max: 3, judged: count}\n",
	        "p.yaml:2: rules[1].judged: judges decide only answer_changed of all "
	        "greedy answers, without excess");
#undef RULES
}

/* The analysis, with an alarm of that size. */
static json_t *with_alarm(double excess)
{
	json_t *document = analysis();
	json_t *group = json_array_get(json_object_get(document, "groups"), 0);
	json_t *figures = json_object_get(json_object_get(group, "noise_floor"), "figures");
	json_object_set_new(json_object_get(figures, "differ"), "alarm", json_true());
	json_object_set_new(json_object_get(figures, "differ"), "p", json_real(0.001));
	json_object_set_new(json_object_get(figures, "differ"), "excess",
	        json_pack("{s:f, s:[f, f]}", "value", excess, "ci95", excess / 2, 2 * excess));
	return document;
}

Test(policy, an_alarm_counts_from_the_minimum_effect_on)
{
	static const struct {
		const char *head;
		double excess;
		enum policy_result result;
		bool small;
	} cases[] = {
	        {"least_effect: 3%\non_alarm: fail\n", 0.02, POLICY_RESULT_PASS, true},
	        {"min_effect: 2%\non_alarm: fail\n", /* its old name */ 0.02, POLICY_RESULT_FAIL,
	                false},
	        {"on_alarm: fail\n", 0.0001, POLICY_RESULT_FAIL, false},
	        {"on_alarm: tell\n", 0.2, POLICY_RESULT_PASS, false},
	        {"", 0.2, POLICY_RESULT_PASS, false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum policy_result result;
		json_t *document = with_alarm(cases[i].excess);
		char *text =
		        xasprintf("%srules:\n  - {metric: differ, max: 50%%}\n", cases[i].head);
		const json_t *policy = held(text, document, &result);
		const json_t *alarms = json_object_get(policy, "alarms");
		cr_assert_eq(json_array_size(alarms), 1);
		cr_assert_eq(json_is_true(json_object_get(json_array_get(alarms, 0), "small")),
		        cases[i].small);
		cr_assert_eq(result, cases[i].result, "%s", text);
		cr_assert_eq(policy_result_of(document), result);
		json_decref(document);
		free(text);
	}
}

Test(policy, a_judge_s_verdicts_count_only_where_it_is_said)
{
	enum policy_result result;
	json_t *document = analysis();
	json_t *group = json_array_get(json_object_get(document, "groups"), 0);
	json_t *split = json_object_get(json_object_get(group, "by_decoding"), "greedy");
	json_object_set_new(split, "judges",
	        json_pack("[{s:s, s:{s:i, s:f, s:[f, f], s:i}}]", "name", "wise",
	                "answer_changed_with_judge", "n", 395, "value", 0.08, "ci95", 0.06, 0.1,
	                "clusters", 100));
	/* The ladder alone: 3 % [1.5 to 5]. */
	const json_t *policy = held("defaults: {judged: count}\n"
	                            "rules:\n"
	                            "  - {metric: answer_changed, max: 5%}\n"
	                            "  - {metric: answer_changed, max: 5%, judged: ignore}\n"
	                            "  - {metric: differ, max: 50%}\n",
	        document, &result);
	cr_assert_str_eq(
	        json_string_value(json_object_get(verdict_of(policy, 0), "judge")), "wise");
	assert_why(verdict_of(policy, 0), "fail", false, "the whole interval is beyond the limit");
	cr_assert(json_is_null(json_object_get(verdict_of(policy, 1), "judge")));
	assert_why(verdict_of(policy, 1), "pass", false, "the whole interval is within the limit");
	cr_assert_str_eq(json_string_value(json_object_get(verdict_of(policy, 2), "judged")),
	        "ignore", "no judge decides whether bytes differ");
	json_decref(document);
}

Test(policy, the_examples_are_policies)
{
	char *pattern = xasprintf("%s/policies/*.yaml", getenv("CONFIGS_DIR"));
	glob_t found;
	cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
	cr_assert_geq(found.gl_pathc, 3);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *error = NULL;
		struct policy *p = policy_load(found.gl_pathv[i], &error);
		cr_assert_not_null(p, "%s", error);
		policy_destroy(p);
	}
	globfree(&found);
	free(pattern);
}

Test(policy, its_lines_fit_a_terminal_and_obey_nobody)
{
	enum policy_result got;
	json_t *document = judged("metric: differ, max: 6%, name: \"a\\e[31mb\"", &got);
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	output_format_write(OUTPUT_FORMAT_TEXT, document, to);
	fclose(to);
	const char *screen =
	        "FAIL: The policy p.yaml fails in 1 of 1 checks. The first: differ, prod "
	        "against\ntrusted is 10.0 % [7.0 to 13.0]; the limit is at most 6.0 %.\n";
	const char *shown = "  * FAIL: a?[31mb: differ, prod against trusted is 10.0 % [7.0 to "
	                    "13.0], n 400;\n"
	                    "    at most 6.0 %: the whole interval is beyond the limit\n";
	cr_assert_not_null(strstr(text, screen), "%s", text);
	cr_assert_not_null(strstr(text, shown), "%s", text);
	free(text);
	json_decref(document);
}

Test(policy, the_screen_says_why_a_rule_is_undecided)
{
	enum policy_result got;
	json_t *document = judged("metric: differ, max: 6%, minimum_n: 1000", &got);
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	output_format_print(document, false, to);
	fclose(to);
	const char *screen =
	        "UNDECIDED: The policy p.yaml is undecided in 1 of 1 checks. The first: "
	        "differ,\nprod against trusted: n is 400, fewer than 1000.\n";
	cr_assert_not_null(strstr(text, screen), "%s", text);
	free(text);
	json_decref(document);
}
