#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "analyzer/report/forms/output_format.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_check.h"

static char *written(enum output_format form, const json_t *document)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	output_format_write(form, document, to);
	fclose(to);
	return text;
}

/* Returns the document's first group. */
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
	(void)policy_check(p, document);
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

Test(groups, floors_are_not_shown_beside_others)
{
	json_t *document = analysis();
	struct groups g;
	groups_read(document, &g);
	cr_assert_eq(g.n, 1);
	cr_assert_eq(g.items[0], trial(document));
	json_array_remove(json_object_get(document, "groups"), 0);
	groups_read(document, &g);
	cr_assert_eq(g.n, 1, "but by themselves they are");
	json_decref(document);
}

Test(groups, targets_are_in_the_order_of_the_recipe)
{
	static const char *const NAMES[] = {"b", "c", "a"};
	json_t *document =
	        json_loads("{\"standings\": {\"rows\": [{\"target\": \"b\"}, {\"target\": "
	                   "\"c\"}, {\"target\": \"a\"}]}, \"groups\": [{\"test\": \"a\"}, "
	                   "{\"test\": \"c\"}, {\"test\": \"b\"}]}",
	                0, NULL);
	struct groups g;
	groups_read(document, &g);
	cr_assert_eq(g.n, 3);
	for (size_t i = 0; i < g.n; i++) {
		cr_expect_str_eq(node_text(g.items[i], "test"), NAMES[i]);
	}
	json_decref(document);
}

Test(groups, an_engine_with_two_names_needs_to_score_only_once)
{
	json_t *document = json_loads("{\"groups\": [{\"base\": \"b\", \"test\": \"t\"}, "
	                              "{\"base\": \"a\", \"test\": \"t\", \"k3\": {}}, "
	                              "{\"base\": \"c\", \"test\": \"t\"}, "
	                              "{\"base\": \"a\", \"test\": \"b\", \"is_floor\": true}]}",
	        0, NULL);
	struct groups g;
	groups_read(document, &g);
	cr_assert_eq(g.n, 2);
	cr_expect_str_eq(node_text(g.items[0], "base"), "a");
	cr_expect_str_eq(node_text(g.items[1], "base"), "c", "another engine");
	json_object_set_new(trial(document), "verdict", json_pack("{s:s}", "word", "DIFFERENT"));
	groups_read(document, &g);
	cr_assert_eq(g.n, 3, "it shows more than the scores");
	json_decref(document);
}

Test(groups, a_verdict_that_is_none_is_unclear)
{
	json_t *document = analysis();
	cr_assert_str_eq(groups_verdict(document), "DIFFERENT");
	cr_assert_str_eq(groups_verdict(trial(document)), "DIFFERENT");
	json_object_set_new(document, "verdict", json_pack("{s:s}", "word", "FINE"));
	cr_assert_str_eq(groups_verdict(document), "UNCLEAR");
	json_object_set_new(document, "verdict", json_pack("[s]", "SAME"));
	cr_assert_str_eq(groups_verdict(document), "UNCLEAR");
	cr_assert_str_eq(groups_sentence(document), "");
	json_decref(document);
}

Test(markdown, has_causes_limits_and_next_steps)
{
	json_t *document = analysis();
	json_object_set_new(trial(document), "causes",
	        json_pack("[{s:s,s:s,s:{s:i,s:i,s:f,s:[f,f],s:b}}]", "title", "A penalty", "text",
	                "as seen", "explained", "n", 30, "of", 40, "rate", 0.75, "ci95", 0.6, 0.87,
	                "of_greedy", 1));
	json_object_set_new(document, "limits", json_pack("[{s:s}]", "text", "few answers"));
	json_object_set_new(document, "next",
	        json_pack("[{s:s,s:s}]", "text", "Turn it off.", "command", "plumbline replay"));
	char *text = written(OUTPUT_FORMAT_MARKDOWN, document);
	assert_has(text,
	        "\n**Causes**\n\n* **A penalty, explains 30 of 40 differing greedy answers "
	        "(75.0 %):** as seen\n");
	assert_has(text, "\n**Limitations:** few answers\n");
	assert_has(text, "\n**Next:** Turn it off.\n  <code>plumbline replay</code>\n");
	free(text);
	json_decref(document);
}

Test(markdown, has_sentence_figures_floor_and_policy)
{
	json_t *document = with_policy("rules:\n"
	                               "  - {metric: kl_low, max: 1}\n"
	                               "  - {name: few, metric: differ, max: 20%}\n"
	                               "  - {metric: same_top, min: 99.9%}\n");
	json_object_set_new(document, "verdict",
	        json_pack("{s:s,s:s}", "word", "SAME", "sentence", "All in all | fair."));
	char *text = written(OUTPUT_FORMAT_MARKDOWN, document);
	assert_has(text, "### &#9989; SAME\n\nAll in all &#124; fair.\n");
	assert_has(text, "\n#### &#10060; prod against trusted: DIFFERENT\n\nThe primary's answers "
	                 "differ.\n");
	assert_has(text, "| answers that differ | 10.0 % &#91;7.0 to 13.0&#93; |\n");
	assert_has(text, "|   over the noise floor of 8.0 % | 2.0 % | -1.0 to 5.0 |  | 2 % |\n");
	assert_lacks(text, "KL divergence");
	assert_in_order(text, "* **FAIL:** same_top, prod against trusted is 99.1 %",
	        "* **undecided:** kl_low, prod against trusted is not known");
	assert_in_order(text, "* **undecided:** kl_low",
	        "* **pass:** few: differ, prod against trusted is 10.0 %");
	free(text);
	json_decref(document);
}

Test(groups, a_selection_is_named)
{
	json_t *document = analysis();
	struct buf text = {0};
	groups_selection(document, &text);
	cr_assert_eq(text.len, 0);
	json_object_set_new(document, "selection",
	        json_pack("{s:s,s:n,s:[s,s]}", "since", "2026-11-21", "until", "where", "model=a",
	                "stream=true"));
	groups_selection(document, &text);
	cr_assert_str_eq(buf_cstr(&text),
	        "Only a selection was compared: since 2026-11-21 where model=a "
	        "and stream=true.");
	buf_finish(&text);
	char *markdown = written(OUTPUT_FORMAT_MARKDOWN, document),
	     *plain = written(OUTPUT_FORMAT_TEXT, document);
	assert_has(markdown, "\nOnly a selection was compared: since 2026-11-21 where model");
	assert_has(plain, "Only a selection was compared: since 2026-11-21 where model=a");
	free(markdown);
	free(plain);
	json_decref(document);
}

Test(markdown, hostile_names_are_names)
{
	json_t *document = analysis();
	json_object_set_new(trial(document), "verdict",
	        json_pack("{s:s}", "sentence", "</details>|@all\n# x differs"));
	char *text = written(OUTPUT_FORMAT_MARKDOWN, document);
	assert_has(text, "&#60;/details&#62;&#124;&#64;&#8203;all &#35;&#8203; x differs");
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
	json_t *group = json_deep_copy(trial(document)), *causes = json_array();
	for (size_t i = 0; i < 100; i++) {
		json_array_append_new(causes, json_pack("{s:s,s:s}", "title", "x", "text", many));
	}
	json_object_set_new(group, "test", json_string(many));
	json_object_set_new(group, "verdict", json_pack("{s:s}", "sentence", many));
	for (size_t i = 0; i < 50; i++) {
		json_array_append(json_object_get(document, "groups"), group);
	}
	char *text = written(OUTPUT_FORMAT_MARKDOWN, document);
	cr_assert_lt(strlen(text), 65536);
	assert_has(text, "more is left out");
	json_object_set_new(group, "causes", causes);
	free(text);
	text = written(OUTPUT_FORMAT_MARKDOWN, document);
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
	char *text = written(OUTPUT_FORMAT_JUNIT, document);
	assert_has(text,
	        "<testsuite name=\"p.yaml\" tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"2\"");
	assert_has(text, "classname=\"prod against trusted\" name=\"few: differ at most 20.0 %\"");
	assert_has(text,
	        "name=\"same_top at least 99.9 %\" time=\"0\">\n      <failure message=\"99.1 % "
	        "[98.9 to 99.3], n 9000: the whole interval is beyond the limit\"");
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
	char *text = written(OUTPUT_FORMAT_JUNIT, document);
	assert_has(text, "tests=\"1\" failures=\"1\"");
	assert_has(text, "classname=\"prod against trusted\" name=\"answers are the same\"");
	free(text);
	json_object_del(trial(document), "verdict");
	text = written(OUTPUT_FORMAT_JUNIT, document);
	assert_has(text, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\"");
	free(text);
	json_decref(document);
}

Test(junit, hostile_names_are_escaped)
{
	json_t *document = analysis();
	json_object_set_new(trial(document), "test", json_string("a\"/><x>\x1b]]>"));
	char *text = written(OUTPUT_FORMAT_JUNIT, document);
	assert_has(
	        text, "classname=\"a&#34;/&#62;&#60;x&#62;\xef\xbf\xbd]]&#62; against trusted\"");
	free(text);
	json_decref(document);
}
