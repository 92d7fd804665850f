#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "analyzer/report/form.h"
#include "analyzer/report/policy_judge.h"
#include "analyzer/report/story.h"

static char *written(enum form form, const json_t *document)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	form_write(form, document, to);
	fclose(to);
	return text;
}

/* The document's first group. */
static json_t *trial(const json_t *document)
{
	return json_array_get(json_object_get(document, "groups"), 0);
}

static json_t *with_policy(const char *rules)
{
	char *error = NULL;
	struct policy *p = policy_parse("p.yaml", span_of(rules), &error);
	cr_assert_not_null(p, "%s", error);
	json_t *document = analysis();
	(void)policy_judge(p, document);
	policy_destroy(p);
	return document;
}

static void assert_has(const char *text, const char *part)
{
	cr_assert_not_null(strstr(text, part), "no \"%s\" in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	cr_assert_null(strstr(text, part), "\"%s\" in:\n%s", part, text);
}

static void assert_in_order(const char *text, const char *first, const char *second)
{
	const char *at = strstr(text, first);
	assert_has(at ? at : "(nothing)", second);
}

Test(story, floors_are_not_on_trial_beside_trials)
{
	json_t *document = analysis();
	struct story s;
	story_read(document, &s);
	cr_assert_eq(s.n, 1);
	cr_assert_eq(s.groups[0], trial(document));
	json_array_remove(json_object_get(document, "groups"), 0);
	story_read(document, &s);
	cr_assert_eq(s.n, 1, "but by themselves they are shown");
	json_decref(document);
}

Test(story, the_sentence_is_the_document_s_or_made_of_its_figures)
{
	json_t *document = analysis();
	struct buf text = {0};
	story_sentence(trial(document), &text);
	cr_assert_str_eq(buf_cstr(&text),
	        "prod, on trial against trusted: 10.0 % [7.0 to 13.0] of 400 greedy answers "
	        "differ; "
	        "the meaning changed in 3.0 % [1.5 to 5.0].");
	buf_clear(&text);
	json_object_set_new(trial(document), "sentence", json_string("They differ."));
	story_sentence(trial(document), &text);
	cr_assert_str_eq(buf_cstr(&text), "They differ.");
	buf_finish(&text);
	json_decref(document);
}

Test(story, causes_are_told_else_the_hints_that_name_one)
{
	json_t *document = analysis();
	struct story_cause c[STORY_CAUSES_LIMIT];
	const char *limits[STORY_CAUSES_LIMIT];
	json_object_set_new(trial(document), "hints",
	        json_pack("[{s:s,s:s},{s:s,s:s}]", "kind", "cause", "text", "a hint", "kind",
	                "limit", "text", "a lack"));
	cr_assert_eq(story_causes(trial(document), c), 1);
	cr_assert_str_eq(c[0].text, "a hint");
	cr_assert_eq(story_limits(trial(document), limits), 1);
	cr_assert_str_eq(limits[0], "a lack");
	json_object_set_new(trial(document), "causes",
	        json_pack("[{s:s,s:s,s:{s:i,s:i,s:f,s:[f,f]},s:s,s:s}]", "title", "A penalty",
	                "text", "as told", "explained", "n", 30, "of", 40, "rate", 0.75, "ci95",
	                0.6, 0.87, "fix", "turn it off", "confirm", "plumbline replay"));
	cr_assert_eq(story_causes(trial(document), c), 1);
	cr_assert_str_eq(c[0].title, "A penalty");
	cr_assert_str_eq(c[0].confirm, "plumbline replay");
	cr_assert(c[0].has_explained && c[0].explained.value == 0.75 && c[0].explained.low == 0.6);
	char *text = written(FORM_MARKDOWN, document);
	assert_has(text,
	        "* **A penalty.** as told. Explains 75.0 % [60.0 to 87.0] of the differing "
	        "answers. To try: turn it off. To confirm: <code>plumbline replay</code>\n");
	free(text);
	json_decref(document);
}

Test(markdown, has_sentence_figures_floor_and_policy)
{
	json_t *document = with_policy("rules:\n"
	                               "  - {metric: kl_low, max: 1}\n"
	                               "  - {name: few, metric: differ, max: 20%}\n"
	                               "  - {metric: same_top, min: 99.9%}\n");
	json_object_set_new(document, "sentence", json_string("All in all | fair."));
	char *text = written(FORM_MARKDOWN, document);
	assert_has(text, "### All in all &#124; fair.\n");
	assert_has(text,
	        "| answers that differ | 10.0 % [7.0 to 13.0] | 400 | 2.0 % [-1.0 to 5.0] |\n");
	assert_has(text, "| partings per 1,000 tokens | 4.4 | 9000 |  |\n");
	assert_lacks(text, "KL divergence");
	assert_in_order(text,
	        "| &#10060; | same_top, prod against trusted | 99.10 % [98.90 to 99.30] "
	        "| at least 99.90 % |",
	        "| &#9898; | kl_low, prod against trusted | no figure |");
	assert_in_order(
	        text, "| &#9898; | kl_low", "| &#9989; | few: differ, prod against trusted |");
	free(text);
	json_decref(document);
}

Test(story, a_selection_is_told)
{
	json_t *document = analysis();
	struct buf text = {0};
	story_selection(document, &text);
	cr_assert_eq(text.len, 0);
	json_object_set_new(document, "selection",
	        json_pack("{s:s,s:n,s:[s,s]}", "since", "2026-11-21", "until", "where", "model=a",
	                "stream=true"));
	story_selection(document, &text);
	cr_assert_str_eq(buf_cstr(&text),
	        "Only what was chosen was judged: since 2026-11-21 where model=a "
	        "and stream=true.");
	buf_finish(&text);
	char *markdown = written(FORM_MARKDOWN, document), *plain = written(FORM_TEXT, document);
	assert_has(markdown, "\nOnly what was chosen was judged: since 2026-11-21 where model");
	assert_has(plain, "Only what was chosen was judged: since 2026-11-21 where model=a");
	free(markdown);
	free(plain);
	json_decref(document);
}

Test(markdown, hostile_names_are_names)
{
	json_t *document = analysis();
	json_object_set_new(trial(document), "test", json_string("</details>|@all\n# x"));
	char *text = written(FORM_MARKDOWN, document);
	assert_has(text, "&#60;/details&#62;&#124;&#64;&#8203;all &#35;&#8203; x, on trial");
	assert_lacks(text, "</details>|");
	free(text);
	json_decref(document);
}

Test(markdown, fits_a_comment_whatever_the_document_holds)
{
	char *many = xmalloc(300001);
	memset(many, '*', 300000);
	many[300000] = '\0';
	json_t *document = analysis();
	json_t *group = json_deep_copy(trial(document)), *hints = json_array();
	for (size_t i = 0; i < 100; i++) {
		json_array_append_new(hints, json_pack("{s:s,s:s}", "kind", "cause", "text", many));
	}
	json_object_set_new(group, "test", json_string(many));
	json_object_set_new(group, "sentence", json_string(many));
	for (size_t i = 0; i < 50; i++) {
		json_array_append(json_object_get(document, "groups"), group);
	}
	char *text = written(FORM_MARKDOWN, document);
	cr_assert_lt(strlen(text), 65536);
	assert_has(text, "more pairs of backends");
	json_object_set_new(group, "hints", hints);
	free(text);
	text = written(FORM_MARKDOWN, document);
	cr_assert_lt(strlen(text), 65536, "%zu", strlen(text));
	free(text);
	free(many);
	json_decref(group);
	json_decref(document);
}

Test(junit, each_rule_is_a_case_that_passes_fails_or_is_skipped)
{
	json_t *document = with_policy("rules:\n"
	                               "  - {name: few, metric: differ, max: 20%}\n"
	                               "  - {metric: same_top, min: 99.9%}\n"
	                               "  - {metric: kl_low, max: 1}\n"
	                               "  - {metric: kl_low, max: 1, undecided: pass}\n"
	                               "  - {metric: kl_low, max: 1, undecided: fail}\n"
	                               "  - {metric: damaged_rows, max: 2}\n");
	char *text = written(FORM_JUNIT, document);
	assert_has(text,
	        "<testsuite name=\"p.yaml\" tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"2\"");
	assert_has(text, "classname=\"prod against trusted\" name=\"few: differ at most 20.0 %\"");
	assert_has(text,
	        "name=\"same_top at least 99.90 %\" time=\"0\">\n      <failure message=\"99.10 % "
	        "[98.90 to 99.30], n 9000: the whole interval is beyond the limit\"");
	assert_has(text, "name=\"kl_low at most 1\" time=\"0\">\n      <skipped");
	assert_has(text, "name=\"kl_low at most 1 (2)\" time=\"0\">\n      <skipped");
	assert_has(text, "name=\"kl_low at most 1 (3)\" time=\"0\">\n      <failure");
	assert_has(text, "classname=\"capture\" name=\"damaged_rows at most 2\"");
	free(text);
	json_decref(document);
}

Test(junit, without_a_policy_each_pair_of_backends_is_a_case)
{
	json_t *document = analysis();
	char *text = written(FORM_JUNIT, document);
	assert_has(text, "tests=\"1\" failures=\"1\"");
	assert_has(text, "classname=\"prod against trusted\" name=\"greedy answers are the same\"");
	free(text);
	json_object_clear(json_object_get(trial(document), "by_decoding"));
	text = written(FORM_JUNIT, document);
	assert_has(text, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\"");
	free(text);
	json_decref(document);
}

Test(junit, hostile_names_are_escaped)
{
	json_t *document = analysis();
	json_object_set_new(trial(document), "test", json_string("a\"/><x>\x1b]]>"));
	char *text = written(FORM_JUNIT, document);
	assert_has(
	        text, "classname=\"a&#34;/&#62;&#60;x&#62;\xef\xbf\xbd]]&#62; against trusted\"");
	free(text);
	json_decref(document);
}
