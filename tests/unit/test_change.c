#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "analyzer/report/policy/change.h"
#include "analyzer/report/forms/output_format.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_check.h"

/* Returns the figure of the greedy answers of the document's first group. */
static json_t *figure_of(json_t *document, const char *name)
{
	json_t *group = json_array_get(json_object_get(document, "groups"), 0);
	return (json_t *)json_object_get(node_at(group, "by_decoding.greedy.figures"), name);
}

static void set_figure(json_t *document, const char *name, double value, double low, double high)
{
	json_t *f = figure_of(document, name);
	json_object_set_new(f, "value", json_real(value));
	json_object_set_new(f, "ci95", json_pack("[f,f]", low, high));
}

/* Takes over both. */
static json_t *changed(json_t *before, json_t *after)
{
	const struct change_side b = {"before.json", before}, a = {"after.json", after};
	json_t *change = change_of(&b, &a);
	json_decref(before);
	json_decref(after);
	return change;
}

/* Of the first group's greedy figures. */
static const json_t *entry(const json_t *change, const char *name, bool excess)
{
	const json_t *group = json_array_get(json_object_get(change, "groups"), 0);
	const json_t *list = node_at(group, "by_decoding.greedy");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *e = json_array_get(list, i);
		if (strcmp(node_text(e, "metric"), name) == 0 &&
		        json_is_true(json_object_get(e, "excess")) == excess) {
			return e;
		}
	}
	return NULL;
}

static void assert_verdict(const json_t *change, const char *name, const char *verdict)
{
	cr_assert_str_eq(node_text(entry(change, name, false), "verdict"), verdict, "%s", name);
}

static char *written(enum output_format form, const json_t *document)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	output_format_write(form, document, to);
	fclose(to);
	return text;
}

Test(change, an_analysis_beside_itself_shows_none)
{
	json_t *c = changed(analysis(), analysis());
	cr_assert_eq(change_verdict_of(c), CHANGE_NONE);
	assert_verdict(c, "differ", "none");
	assert_verdict(c, "hazard", "not-enough");
	cr_assert_null(entry(c, "kl_low", false), "it has no data");
	cr_assert_eq(node_number(c, "figures_changed"), 0);
	json_decref(c);
}

Test(change, a_figure_that_rose_is_worse_and_one_that_fell_is_better)
{
	json_t *after = analysis();
	set_figure(after, "differ", 0.3, 0.26, 0.34);
	json_t *c = changed(analysis(), after);
	cr_assert_eq(change_verdict_of(c), CHANGE_WORSE);
	assert_verdict(c, "differ", "worse");
	assert_verdict(c, "same_top", "none");
	const json_t *e = entry(c, "differ", false);
	cr_assert_float_eq(node_number(e, "change"), 0.2, 1e-12);
	json_decref(c);

	json_t *before = analysis();
	set_figure(before, "differ", 0.3, 0.26, 0.34);
	c = changed(before, analysis());
	cr_assert_eq(change_verdict_of(c), CHANGE_SEEN, "not for the worse");
	assert_verdict(c, "differ", "better");
	json_decref(c);
}

Test(change, what_is_worse_depends_on_the_figure)
{
	json_t *after = analysis();
	set_figure(after, "same_top", 0.97, 0.967, 0.973);
	set_figure(after, "length_bias", -9, -10, -8);
	json_t *c = changed(analysis(), after);
	assert_verdict(c, "same_top", "worse");
	assert_verdict(c, "length_bias", "worse");
	json_decref(c);
	json_t *before = analysis();
	set_figure(before, "length_bias", -9, -10, -8);
	c = changed(before, analysis());
	assert_verdict(c, "length_bias", "better");
	json_decref(c);
}

Test(change, p_is_adjusted_over_all_figures_that_are_tested)
{
	json_t *after = analysis();
	/* Alone: z of 2.7, p 0.007. */
	set_figure(after, "differ", 0.157, 0.127, 0.187);
	json_t *c = changed(analysis(), after);
	double tested = node_number(c, "figures_tested");
	cr_assert_gt(tested, 3);
	assert_verdict(c, "differ", "none");
	double z = 1.959963984540054 * 0.057 / (0.03 * sqrt(2));
	cr_assert_float_eq(
	        node_number(entry(c, "differ", false), "p"), tested * erfc(z / sqrt(2)), 1e-9);
	json_decref(c);
}

Test(change, what_is_left_over_the_floor_is_held_against_what_was)
{
	json_t *after = analysis();
	json_t *group = json_array_get(json_object_get(after, "groups"), 0);
	json_t *excess = (json_t *)node_at(group, "noise_floor.figures.differ.excess");
	json_object_set_new(excess, "value", json_real(0.2));
	json_object_set_new(excess, "ci95", json_pack("[f,f]", 0.16, 0.24));
	json_t *c = changed(analysis(), after);
	cr_assert_str_eq(node_text(entry(c, "differ", true), "verdict"), "worse");
	cr_assert_null(entry(c, "answer_changed", true), "neither has a floor of it");
	json_decref(c);
}

Test(change, pairs_of_backends_come_and_go)
{
	json_t *before = analysis(), *after = analysis();
	json_t *group = json_array_get(json_object_get(after, "groups"), 0);
	json_object_set_new(group, "test", json_string("canary"));
	json_t *c = changed(before, after);
	cr_assert_eq(json_array_size(json_object_get(c, "groups")), 1, "the floor is in both");
	cr_assert_str_eq(
	        node_text(json_array_get(json_object_get(c, "groups_new"), 0), "test"), "canary");
	cr_assert_str_eq(
	        node_text(json_array_get(json_object_get(c, "groups_gone"), 0), "test"), "prod");
	cr_assert_eq(node_number(json_object_get(c, "before"), "exchanges"), 400);
	json_decref(c);
}

Test(change, without_a_pair_in_common_there_is_not_enough)
{
	json_t *after = analysis();
	json_array_clear(json_object_get(after, "groups"));
	json_array_clear(json_object_get(after, "teacher_forced"));
	json_t *c = changed(analysis(), after);
	cr_assert_eq(change_verdict_of(c), CHANGE_NOT_ENOUGH);
	json_decref(c);
}

static json_t *with_cause(const char *key, const char *stack)
{
	json_t *document = analysis();
	json_t *group = json_array_get(json_object_get(document, "groups"), 0);
	json_object_set_new(group, "causes", json_pack("[{s:s,s:s}]", "key", key, "title", "why"));
	json_object_set_new(json_object_get(group, "slices"), "stack",
	        json_pack("{s:[{s:s}]}", "values", "value", stack));
	return document;
}

Test(change, causes_and_stacks_come_and_go)
{
	json_t *c = changed(with_cause("bos", "vllm 1"), with_cause("penalty", "vllm 2"));
	const json_t *group = json_array_get(json_object_get(c, "groups"), 0);
	cr_assert_str_eq(
	        node_text(json_array_get(node_at(group, "causes.new"), 0), "key"), "penalty");
	cr_assert_str_eq(node_text(json_array_get(node_at(group, "causes.gone"), 0), "key"), "bos");
	cr_assert_str_eq(
	        json_string_value(json_array_get(node_at(group, "stacks.new"), 0)), "vllm 2");
	cr_assert_str_eq(
	        json_string_value(json_array_get(node_at(group, "stacks.gone"), 0)), "vllm 1");
	char *text = written(OUTPUT_FORMAT_TEXT, c);
	cr_assert_not_null(strstr(text, "new cause: why"));
	cr_assert_not_null(strstr(text, "stack that is gone: vllm 1"));
	free(text);
	json_decref(c);
}

static json_t *judged(json_t *document, const char *rules)
{
	char *error = NULL;
	struct policy *p = policy_parse("p.yaml", span_of(rules), &error);
	cr_assert_not_null(p, "%s", error);
	(void)policy_check(p, document);
	policy_destroy(p);
	return document;
}

Test(change, a_rule_that_fails_now_is_for_the_worse)
{
	const char *rules = "rules: [{metric: damaged_rows, max: 2}, {metric: differ, max: 50%}]";
	json_t *after = analysis();
	json_object_set_new(after, "damaged_rows", json_integer(3));
	json_t *c = changed(judged(analysis(), rules), judged(after, rules));
	cr_assert_eq(change_verdict_of(c), CHANGE_WORSE);
	const json_t *moved = node_at(c, "policy.changed");
	cr_assert_eq(json_array_size(moved), 1);
	cr_assert_str_eq(node_text(json_array_get(moved, 0), "before"), "pass");
	cr_assert_str_eq(node_text(json_array_get(moved, 0), "after"), "fail");
	char *text = written(OUTPUT_FORMAT_MARKDOWN, c);
	cr_assert_not_null(
	        strstr(text, "* fail, before pass: damaged_rows is 3, at most 2\n"), "%s", text);
	free(text);
	json_decref(c);

	json_t *before = analysis();
	json_object_set_new(before, "damaged_rows", json_integer(3));
	c = changed(judged(before, rules), judged(analysis(), rules));
	cr_assert_neq(change_verdict_of(c), CHANGE_WORSE, "it passes again");
	json_decref(c);
}

Test(change, the_change_that_matters_most_comes_first)
{
	json_t *after = analysis();
	set_figure(after, "differ", 0.3, 0.26, 0.34);
	set_figure(after, "same_top", 0.5, 0.499, 0.501); /* more certain, but less important */
	json_t *c = changed(analysis(), after);
	char *text = written(OUTPUT_FORMAT_TEXT, c);
	cr_assert_not_null(
	        strstr(text, "WORSE: prod against trusted: answers that differ went"), "%s", text);
	cr_assert_not_null(strstr(text, "1 more figure is worse."), "%s", text);
	free(text);
	json_decref(c);
}

/* Adds pairs of backends of which two have another result, and to all pairs two causes and one
 * stack. */
static json_t *crowded(bool is_after)
{
	json_t *document =
	        with_cause(is_after ? "bos" : "penalty", is_after ? "b: vllm 2" : "b: vllm 1");
	json_t *groups = json_object_get(document, "groups"), *first = json_array_get(groups, 0);
	json_array_append_new(json_object_get(first, "causes"),
	        json_pack("{s:s,s:s}", "key", is_after ? "template" : "greedy", "title",
	                "A reason that fills the line"));
	if (is_after) {
		set_figure(document, "differ", 0.3, 0.26, 0.34);
		set_figure(document, "same_top", 0.5, 0.499, 0.501);
		json_object_set_new(document, "damaged_rows", json_integer(3));
	}
	for (char name[] = "canary-a"; name[7] < 'f'; name[7]++) {
		json_t *copy = json_deep_copy(first);
		json_object_set_new(copy, "test", json_string(name));
		json_array_append_new(groups, copy);
	}
	return document;
}

Test(change, its_first_screen_has_at_most_15_lines_whatever_changed)
{
	const char *rules = "rules: [{metric: damaged_rows, max: 2}]";
	json_t *c = changed(judged(crowded(false), rules), judged(crowded(true), rules));
	char *text = NULL;
	size_t size = 0, lines = 0;
	FILE *to = open_memstream(&text, &size);
	output_format_print(c, false, to);
	fclose(to);
	static const char *const PARTS[] = {"WORSE: ", "that did not fail before.",
	        "\n  answers that differ ", "\nOther pairs    ",
	        "\nNew causes     why; A reason that", "\nNew stacks     b: vllm 2",
	        "\n    plumbline report after.json\n", "--full"};
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		cr_assert_not_null(strstr(text, PARTS[i]), "%s in %s", PARTS[i], text);
	}
	for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++) {
		cr_assert_leq(end - at, 80, "%s", at);
	}
	cr_assert_leq(lines, 15);
	free(text);
	json_decref(c);
}

Test(change, its_summary_fits_a_terminal)
{
	json_t *after = analysis();
	set_figure(after, "differ", 0.3, 0.26, 0.34);
	json_t *c = changed(analysis(), after);
	char *text = written(OUTPUT_FORMAT_TEXT, c);
	cr_assert_not_null(
	        strstr(text, "WORSE: prod against trusted: answers that differ went from 10.0 % to "
	                     "30.0 %,\n+20.0 points [+15.0 to +25.0]."),
	        "%s", text);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		cr_assert_leq(strlen(line), 80, "%s", line);
	}
	free(text);
	json_decref(c);
}
