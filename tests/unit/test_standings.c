#include "analyzer/report/standings.h"
#include "analyzer/report/screen/summary_parts.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/mem.h"
#include "analyzer/report/node.h"

/* A group with so many changed answers of 100. */
static json_t *group(const char *base, const char *test, double changed, double low, double high)
{
	return json_pack("{s:s, s:s, s:b, s:{s:{s:i, s:{s:{s:i, s:f, s:[f,f]}}}}, s:{s:s}}", "base",
	        base, "test", test, "is_floor", strcmp(base, test) == 0, "by_decoding", "greedy",
	        "pairs", 100, "figures", "answer_changed", "n", 100, "value", changed, "ci95", low,
	        high, "noise_floor", "finding", "alarm");
}

static json_t *document(void)
{
	return json_pack("{s:[o,o,o,o,o]}", "groups", group("f16", "q4", 0.30, 0.22, 0.40),
	        group("f16", "q8", 0.03, 0.01, 0.08), group("f16", "q5", 0.05, 0.02, 0.11),
	        group("f16", "f16", 0.02, 0.00, 0.07), group("q4", "q4", 0.01, 0.00, 0.05));
}

static const char *const NAMES[] = {"q8", "q5", "q4"};

Test(standings, targets_stand_in_the_order_that_was_given_each_with_its_own_floor)
{
	json_t *d = document(), *l = standings_make(d, "f16", NAMES, ARRAY_LEN(NAMES), true);
	const json_t *rows = json_object_get(l, "rows");
	cr_assert_eq(json_array_size(rows), 3);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_str_eq(node_text(json_array_get(rows, i), "target"), NAMES[i]);
	}
	const json_t *q4 = json_array_get(rows, 2), *q8 = json_array_get(rows, 0);
	cr_expect_float_eq(node_number(node_at(q4, "figures.answer_changed"), "value"), 0.30, 1e-9);
	cr_expect_float_eq(node_number(node_at(q4, "floor.answer_changed"), "value"), 0.01, 1e-9);
	cr_expect_float_eq(
	        node_number(node_at(q4, "base_floor.answer_changed"), "value"), 0.02, 1e-9);
	cr_expect(json_is_null(json_object_get(q8, "floor")), "it was not repeated");
	json_decref(l);
	json_decref(d);
}

Test(standings, the_cliff_is_where_twice_as_many_change_as_before_the_base_itself_included)
{
	json_t *d = document(), *l = standings_make(d, "f16", NAMES, ARRAY_LEN(NAMES), true);
	const json_t *cliff = json_object_get(l, "cliff");
	cr_expect_str_eq(
	        node_text(cliff, "target"), "q4", "3 %% is not over twice the floor's 2 %%");
	cr_expect_str_eq(node_text(cliff, "before"), "q5");
	cr_expect(json_is_true(json_object_get(cliff, "sure")));
	json_decref(l);
	static const char *const ALONE[] = {"q5"};
	l = standings_make(d, "f16", ALONE, 1, true);
	cliff = json_object_get(l, "cliff");
	cr_expect_str_eq(node_text(cliff, "target"), "q5");
	cr_expect(json_is_null(json_object_get(cliff, "before")));
	cr_expect(json_is_false(json_object_get(cliff, "sure")), "the intervals overlap");
	json_decref(l);
	json_decref(d);
}

Test(standings, there_is_no_cliff_behind_a_floor_that_nobody_measured)
{
	json_t *d = json_pack("{s:[o,o]}", "groups", group("f16", "q5", 0.05, 0.02, 0.11),
	        group("f16", "q4", 0.30, 0.22, 0.40));
	static const char *const ALL[] = {"q5", "q4"};
	json_t *l = standings_make(d, "f16", ALL, 1, true);
	cr_expect(json_is_null(json_object_get(l, "cliff")), "the base was asked once");
	json_decref(l);
	l = standings_make(d, "f16", ALL, 2, true);
	const json_t *cliff = json_object_get(l, "cliff");
	cr_expect_str_eq(node_text(cliff, "target"), "q4");
	cr_expect_str_eq(node_text(cliff, "before"), "q5");
	json_decref(l);
	json_decref(d);
}

Test(standings, behind_a_target_that_changed_nothing_only_what_is_surely_more_is_a_cliff)
{
	json_t *d = json_pack("{s:[o,o,o]}", "groups", group("f16", "f16", 0.00, 0.00, 0.04),
	        group("f16", "q8", 0.01, 0.00, 0.05), group("f16", "q4", 0.30, 0.22, 0.40));
	static const char *const SLIGHT[] = {"q8"}, *const STRONG[] = {"q4"};
	json_t *l = standings_make(d, "f16", SLIGHT, 1, true);
	cr_expect(json_is_null(json_object_get(l, "cliff")));
	json_decref(l);
	l = standings_make(d, "f16", STRONG, 1, true);
	cr_expect_str_eq(node_text(json_object_get(l, "cliff"), "target"), "q4");
	json_decref(l);
	json_decref(d);
}

/* The same of which some are undecided. */
static json_t *open_group(const char *test, double least, double most)
{
	json_t *g = group("f16", test, least, least / 2, most);
	json_t *figure = (json_t *)node_at(g, "by_decoding.greedy.figures.answer_changed");
	json_object_update_new(figure, json_pack("{s:{s:f}, s:{s:f}}", "at_least", "value", least,
	                                       "at_most", "value", most));
	return g;
}

static char *written(const json_t *standings, enum writer_form form)
{
	char *text = NULL;
	size_t size = 0;
	struct writer w;
	FILE *to = open_memstream(&text, &size);
	json_t *document = json_pack("{s:O?}", "standings", standings);
	writer_begin(&w, form, to);
	summary_cliff(document, &w);
	summary_standings(document, &w);
	writer_end(&w);
	fclose(to);
	json_decref(document);
	return text;
}

static char *said_of(const json_t *standings)
{
	return written(standings, WRITER_TEXT);
}

Test(standings, a_cliff_that_depends_on_the_undecided_is_not_said_to_be_one)
{
	static const char *const BOTH[] = {"q8", "q2"};
	json_t *d = json_pack(
	        "{s:[o,o]}", "groups", open_group("q8", 0.05, 0.10), open_group("q2", 0.15, 0.70));
	json_t *l = standings_make(d, "f16", BOTH, 2, true);
	const json_t *cliff = json_object_get(l, "cliff");
	cr_expect_str_eq(node_text(cliff, "target"), "q2");
	cr_expect(json_is_false(json_object_get(cliff, "shown")));
	char *text = said_of(l);
	cr_expect_not_null(strstr(text, "Undecided whether there is a cliff at q2"), "%s", text);
	cr_expect_not_null(strstr(text, "15.0 to 70.0 %"), "%s", text);
	free(text);
	json_decref(l);
	json_decref(d);
	d = json_pack(
	        "{s:[o,o]}", "groups", open_group("q8", 0.05, 0.10), open_group("q2", 0.25, 0.70));
	l = standings_make(d, "f16", BOTH, 2, true);
	cr_expect(json_is_true(json_object_get(json_object_get(l, "cliff"), "shown")));
	json_decref(l);
	json_decref(d);
}

Test(standings, only_a_sweep_has_a_cliff_and_says_so_where_it_has_none)
{
	static const char *const BOTH[] = {"q8", "q5"};
	json_t *d = document(), *l = standings_make(d, "f16", NAMES, ARRAY_LEN(NAMES), false);
	char *text = said_of(l);
	cr_expect(json_is_null(json_object_get(l, "cliff")));
	cr_expect_null(strstr(text, "cliff"), "%s", text);
	cr_expect_not_null(strstr(text, "30.0 % [22.0 to 40.0], n 100"), "%s", text);
	free(text);
	json_decref(l);
	l = standings_make(d, "f16", BOTH, 2, true);
	text = said_of(l);
	cr_expect_not_null(
	        strstr(text, "No cliff: the largest change of meaning is 5.0 %"), "%s", text);
	free(text);
	json_decref(l);
	json_decref(d);
}

Test(standings, a_target_that_nothing_is_known_of_has_a_row_without_figures)
{
	static const char *const NONE[] = {"gone"};
	json_t *d = json_pack("{s:[]}", "groups"), *l = standings_make(d, "f16", NONE, 1, true);
	const json_t *row = json_array_get(json_object_get(l, "rows"), 0);
	cr_expect_str_eq(node_text(row, "target"), "gone");
	cr_expect_eq(json_object_size(json_object_get(row, "figures")), 0);
	cr_expect(json_is_null(json_object_get(l, "cliff")));
	json_decref(l);
	json_decref(d);
}

Test(standings, what_a_foreign_document_says_is_shown_without_harm)
{
	json_t *l = json_loads("{\"base\": \"a\\u001b[31m\", \"cliff\": 7, \"rows\": [{\"target\": "
	                       "\"x\\u001b]0;\", \"figures\": {\"hazard\": {\"value\": 1.5, "
	                       "\"ci95\": \"no\"}}, \"suites\": 3, \"causes\": [7, {\"title\": "
	                       "\"\\u001b[2J\"}]}, 5]}",
	        0, NULL);
	cr_assert_not_null(l);
	char *text = said_of(l);
	cr_expect_null(strchr(text, 0x1b));
	cr_expect_not_null(strstr(text, "1.5"));
	free(text);
	text = written(l, WRITER_MARKDOWN);
	cr_expect_null(strchr(text, 0x1b));
	free(text);
	text = said_of(NULL);
	cr_expect_str_eq(text, "");
	free(text);
	json_decref(l);
}
