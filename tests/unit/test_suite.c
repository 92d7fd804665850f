#include "replay/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/json.h"
#include "base/mem.h"

/* Reads a turn of a file's first line. */
static struct suite_item read_turn(const char *line, uint32_t turn)
{
	struct suite s;
	struct suite_item item;
	suite_open(&s, span_of(line));
	cr_assert_eq(s.form, SUITE_ITEMS, "%s", line);
	const char *why = suite_read(&s, span_of(line), 1, turn, &item);
	cr_assert_null(why, "%s: %s", line, why);
	return item;
}

static void body_is(struct suite_item *item, const char *wanted)
{
	cr_expect_str_eq(buf_cstr(&item->body), wanted);
}

static const char *refusal(const char *line)
{
	struct suite s = {.form = SUITE_ITEMS};
	struct suite_item item;
	const char *why = suite_read(&s, span_of(line), 1, 0, &item);
	if (!why) {
		suite_item_finish(&item);
	}
	return why;
}

Test(suite, a_line_becomes_a_request_without_what_the_suite_keeps_for_itself)
{
	struct suite_item i = read_turn(
	        "{\"id\":\"demo/007\",\"category\":\"sums\",\"gold\":\"4\",\"tools\":[ {} ],"
	        "\"messages\":[{\"role\":\"user\",\"content\":\"2+2?\"}],\"max_tokens\":8}",
	        0);
	cr_expect_eq(i.endpoint, ENDPOINT_CHAT);
	body_is(&i, "{\"messages\":[{\"role\":\"user\",\"content\":\"2+2?\"}],\"tools\":[ {} ],"
	            "\"max_tokens\":8,\"temperature\":0}");
	cr_expect_str_eq(i.labels.suite, "demo");
	cr_expect_str_eq(i.labels.item, "demo/007");
	cr_expect_str_eq(i.labels.category, "sums");
	cr_expect_str_eq(i.labels.gold, "4");
	suite_item_finish(&i);
}

Test(suite, a_prompt_becomes_a_completion)
{
	struct suite_item i =
	        read_turn("{\"prompt\":\"2+2=\",\"id\":\"a/b/1\",\"category\":\"x\"}", 0);
	cr_expect_eq(i.endpoint, ENDPOINT_COMPLETION);
	body_is(&i, "{\"prompt\":\"2+2=\",\"temperature\":0}");
	cr_expect_str_eq(i.labels.suite, "a/b");
	cr_expect_null(i.labels.gold);
	suite_item_finish(&i);
}

Test(suite, a_line_with_a_temperature_keeps_it)
{
	struct suite_item i = read_turn("{\"id\":\"a/1\",\"category\":\"x\",\"temperature\":0.7,"
	                                "\"messages\":[]}",
	        0);
	body_is(&i, "{\"messages\":[],\"temperature\":0.7}");
	suite_item_finish(&i);
}

Test(suite, a_right_answer_that_is_no_text_is_kept_as_json)
{
	struct suite_item i = read_turn("{\"id\":\"a/1\",\"category\":\"x\",\"messages\":[],"
	                                "\"gold\":[{\"name\":\"f\"}]}",
	        0);
	cr_expect_str_eq(i.labels.gold, "[{\"name\":\"f\"}]");
	suite_item_finish(&i);
	i = read_turn(
	        "{\"id\":\"a/1\",\"category\":\"x\",\"messages\":[],\"gold\":\"a\\\"\\u00e9\"}", 0);
	cr_expect_str_eq(i.labels.gold, "a\"\xc3\xa9");
	suite_item_finish(&i);
}

Test(suite, an_id_without_a_suite_is_of_the_files_suite)
{
	static const struct {
		const char *id, *suite, *item;
	} ids[] = {
	        {"\"m1\"", "mine", "mine/m1"},
	        {"17", "mine", "mine/17"},
	        {"\"/m1\"", "mine", "mine/m1"},
	        {"\"a/b/1\"", "a/b", "a/b/1"},
	};
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		struct suite s;
		struct suite_item item;
		char *line = xasprintf("{\"id\":%s,\"category\":\"x\",\"messages\":[]}", ids[i].id);
		suite_open(&s, span_of(line));
		cr_assert_eq(s.form, SUITE_ITEMS, "%s", line);
		s.name = "mine";
		cr_assert_null(suite_read(&s, span_of(line), 1, 0, &item));
		cr_expect_str_eq(item.labels.suite, ids[i].suite);
		cr_expect_str_eq(item.labels.item, ids[i].item);
		suite_item_finish(&item);
		free(line);
	}
	struct suite_item i = read_turn("{\"id\":\"m1\",\"category\":\"x\",\"messages\":[]}", 0);
	cr_expect_str_eq(i.labels.item, "suite/m1");
	suite_item_finish(&i);
}

Test(suite, tests_take_the_right_answers_place)
{
	struct suite_item i = read_turn("{\"id\":\"a/1\",\"category\":\"x\",\"messages\":[],"
	                                "\"function\":\"f\",\"tests\":[{\"input\":\"1\"}]}",
	        0);
	cr_expect_str_eq(i.labels.gold, "{\"function\":\"f\",\"tests\":[{\"input\":\"1\"}]}");
	body_is(&i, "{\"messages\":[],\"temperature\":0}");
	suite_item_finish(&i);
	i = read_turn("{\"id\":\"a/1\",\"category\":\"x\",\"messages\":[],\"tests\":[]}", 0);
	cr_expect_str_eq(i.labels.gold, "{\"tests\":[]}");
	suite_item_finish(&i);
}

static const char SESSION[] =
        "{\"id\":\"t/1\",\"category\":\"x\",\"messages\":[{\"role\":\"system\",\"content\":\"s\"}],"
        "\"turns\":[{\"content\":\"a\",\"answer\":\"A\",\"gold\":\"1\"},{\"content\":\"b\"},"
        "{\"content\":\"c\",\"gold\":\"3\"}]}";

Test(suite, a_turn_has_the_turns_and_answers_before_it)
{
	struct suite s;
	suite_open(&s, SPAN(SESSION));
	cr_assert_eq(suite_turns(&s, SPAN(SESSION)), 3);
	struct suite_item i = read_turn(SESSION, 0);
	body_is(&i, "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
	            "{\"role\":\"user\",\"content\":\"a\"}],\"temperature\":0}");
	cr_expect_str_eq(i.labels.item, "t/1:1");
	cr_expect_str_eq(i.labels.gold, "1");
	cr_expect(!i.history_open);
	suite_item_finish(&i);
	i = read_turn(SESSION, 1);
	body_is(&i,
	        "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
	        "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"A\"},"
	        "{\"role\":\"user\",\"content\":\"b\"}],\"temperature\":0}");
	cr_expect(!i.history_open && !i.labels.gold);
	suite_item_finish(&i);
	i = read_turn(SESSION, 2);
	cr_expect(strstr(buf_cstr(&i.body), "\"b\"},{\"role\":\"assistant\",\"content\":\"\"},"
	                                    "{\"role\":\"user\",\"content\":\"c\"}]"));
	cr_expect(i.history_open, "the suite does not say what the second turn was answered");
	cr_expect_str_eq(i.labels.gold, "3");
	suite_item_finish(&i);
}

Test(suite, a_turn_is_a_later_turn_of_the_one_before_it)
{
	const uint8_t key[32] = {1};
	struct request_hashes hashes[3];
	for (uint32_t turn = 0; turn < 3; turn++) {
		struct suite_item i = read_turn(SESSION, turn);
		cr_assert(request_hash(i.endpoint, buf_span(&i.body), key, &hashes[turn]));
		suite_item_finish(&i);
	}
	for (int turn = 1; turn < 3; turn++) {
		cr_expect_eq(
		        memcmp(hashes[turn].parent, hashes[turn - 1].chain, REQUEST_HASH_SIZE), 0);
		cr_expect_eq(memcmp(hashes[turn].session, hashes[0].session, REQUEST_HASH_SIZE), 0);
	}
}

Test(suite, a_long_text_is_made_where_its_mark_stands)
{
	struct suite_item i = read_turn(
	        "{\"id\":\"l/"
	        "1\",\"category\":\"x\",\"haystack\":{\"style\":\"prose\",\"tokens\":300,"
	        "\"seed\":3,\"needles\":[{\"at\":0.5,\"text\":\"Say \\\"so\\\".\"}]},"
	        "\"messages\":[{\"role\":\"user\",\"content\":\"Read {{haystack}} and tell.\"}]}",
	        0);
	static const char *const MESSAGES[] = {"messages"};
	struct json_token value;
	struct span whole;
	cr_assert(json_find(buf_span(&i.body), MESSAGES, 1, &value, &whole), "it is still JSON");
	cr_expect(i.body.len > 1500 && i.body.len < 2700);
	cr_expect(strstr(buf_cstr(&i.body), "\\n\\nSay \\\"so\\\".\\n\\n"));
	cr_expect(strstr(buf_cstr(&i.body), " and tell.\"}]"));
	cr_expect_null(strstr(buf_cstr(&i.body), "haystack"));
	suite_item_finish(&i);
}

Test(suite, what_is_wrong_with_a_line_is_said)
{
#define BEGIN "{\"id\":\"a/1\",\"category\":\"x\","
#define HAY BEGIN "\"messages\":[{\"content\":\"{{haystack}}\"}],\"haystack\":"
	static const struct {
		const char *line, *says;
	} bad[] = {
	        {"[]", "not one JSON object"},
	        {BEGIN "\"messages\":[]", "not one JSON object"},
	        {"{\"category\":\"x\",\"messages\":[]}", "no id"},
	        {"{\"id\":\"a/1\",\"category\":3,\"messages\":[]}", "no category"},
	        {"{\"id\":\"\",\"category\":\"x\",\"messages\":[]}", "id is empty"},
	        {"{\"id\":[1],\"category\":\"x\",\"messages\":[]}", "no id"},
	        {BEGIN "\"x\":1}", "exactly one of messages, turns and prompt"},
	        {BEGIN "\"messages\":[],\"prompt\":\"p\"}", "exactly one of"},
	        {BEGIN "\"turns\":[{}]}", "no content"},
	        {BEGIN "\"turns\":[]}", "not a list of objects"},
	        {BEGIN "\"turns\":[3]}", "not a list of objects"},
	        {BEGIN "\"turns\":{\"content\":\"a\"},\"messages\":[]}", "not a list of objects"},
	        {BEGIN "\"turns\":[{\"content\":\"a\"},3,{\"content\":\"b\"}]}",
	                "not a list of objects"},
	        {BEGIN "\"messages\":[],\"tests\":{}}", "tests are not a list"},
	        {BEGIN "\"messages\":[],\"gold\":\"a\\u0000b\"}", "NUL"},
	        {BEGIN "\"messages\":[],\"haystack\":{}}", "no {{haystack}}"},
	        {HAY "{\"style\":\"verse\",\"tokens\":100,\"seed\":1}}", "known style"},
	        {HAY "{\"style\":\"log\",\"tokens\":63,\"seed\":1}}", "64 to 262144"},
	        {HAY "{\"style\":\"log\",\"tokens\":1e9,\"seed\":1}}", "64 to 262144"},
	        {HAY "{\"style\":\"log\",\"tokens\":100}}", "a seed"},
	        {HAY "{\"style\":\"log\",\"tokens\":100,\"seed\":1,\"needles\":{}}}", "not a list"},
	        {HAY "{\"style\":\"log\",\"tokens\":100,\"seed\":1,\"needles\":[{\"at\":2,"
	             "\"text\":\"t\"}]}}",
	                "a needle needs"},
	        {HAY "{\"style\":\"log\",\"tokens\":100,\"seed\":1,\"needles\":[{\"at\":0.5,"
	             "\"text\":\"t\"},\"t\",{\"at\":0.6,\"text\":\"t\"}]}}",
	                "a needle needs"},
	        {HAY "{\"style\":\"log\",\"tokens\":100,\"seed\":1,\"needles\":[{\"at\":0.5,"
	             "\"text\":\"t\"},{\"at\":0.4,\"text\":\"t\"}]}}",
	                "in the order of their places"},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *why = refusal(bad[i].line);
		cr_expect(
		        why && strstr(why, bad[i].says), "%s: %s", bad[i].line, why ? why : "fine");
	}
}

Test(suite, a_label_that_a_record_cannot_hold_is_refused)
{
	char text[LABEL_GOLD_LIMIT + 2] = {0};
	memset(text, 'g', sizeof(text) - 1);
	char *line = xasprintf(
	        "{\"id\":\"a/1\",\"category\":\"x\",\"messages\":[],\"gold\":\"%s\"}", text);
	cr_expect(refusal(line) && strstr(refusal(line), "too long"));
	free(line);
}

Test(suite, sixty_four_turns_are_the_most)
{
	for (int n = SUITE_TURNS_LIMIT; n <= SUITE_TURNS_LIMIT + 1; n++) {
		struct buf line = {0};
		buf_append_str(&line, "{\"id\":\"a/1\",\"category\":\"x\",\"turns\":[");
		for (int i = 0; i < n; i++) {
			buf_printf(&line, "%s{\"content\":\"%d\"}", i ? "," : "", i);
		}
		buf_append_str(&line, "]}");
		const char *why = refusal(buf_cstr(&line));
		cr_expect_eq(why != NULL, n > SUITE_TURNS_LIMIT, "%s", why ? why : "fine");
		buf_finish(&line);
	}
}

Test(suite, a_file_is_told_by_its_first_record)
{
	static const struct {
		const char *record;
		enum suite_form form;
	} files[] = {
	        {"{\"id\":\"a/1\",\"category\":\"x\",\"prompt\":\"p\"}", SUITE_ITEMS},
	        {"{\"question\":\"q\",\"answer\":\"w\\n#### 3\"}", SUITE_GSM8K},
	        {"{\"question_title\":\"t\",\"question_content\":\"c\"}", SUITE_LIVECODEBENCH},
	        {"a,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer "
	         "3",
	                SUITE_GPQA},
	        {"metadata,problem,answer", SUITE_SIMPLEQA},
	        {"problem,answer", SUITE_SIMPLEQA},
	        {"{\"problem\":\"p\",\"level\":\"Level 1\",\"solution\":\"s\"}", SUITE_MATH},
	        {"{\"problem\":\"p\",\"subject\":\"Algebra\",\"answer\":\"5\"}", SUITE_MATH},
	        {"{\"problem\":\"p\",\"answer\":\"5\"}", SUITE_AIME},
	        {"{\"id\":1,\"problem\":\"p\",\"answer\":5}", SUITE_AIME},
	        {"{\"problem\":\"p\"}", SUITE_NONE},
	        {"{\"messages\":[]}", SUITE_NONE},
	        {"{\"custom_id\":\"a\",\"body\":{\"messages\":[]}}", SUITE_NONE},
	        {"{\"question\":\"q\",\"answer\":\"w\"}", SUITE_NONE},
	        {"Question,Correct Answer", SUITE_NONE},
	        {"", SUITE_NONE},
	        {"{\"id\":\"a/1\"", SUITE_NONE},
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct suite s;
		suite_open(&s, span_of(files[i].record));
		cr_expect_eq(s.form, files[i].form, "%s", files[i].record);
		cr_expect_eq(s.has_header, s.form == SUITE_GPQA || s.form == SUITE_SIMPLEQA);
	}
}

Test(suite, gsm8ks_number_is_what_follows_the_last_mark)
{
	const char *line =
	        "{\"question\":\"How many?\",\"answer\":\"#### is no result\\n#### 1,234 \"}";
	struct suite s;
	struct suite_item i;
	suite_open(&s, span_of(line));
	cr_assert_null(suite_read(&s, span_of(line), 12, 0, &i));
	cr_expect_str_eq(i.labels.gold, "1234");
	cr_expect_str_eq(i.labels.item, "gsm8k/12");
	cr_expect_str_eq(i.labels.suite, "gsm8k");
	cr_expect(strstr(buf_cstr(&i.body), "\"content\":\"How many?\\n\\nSolve"));
	suite_item_finish(&i);
}

Test(suite, the_right_answer_of_math_and_aime_is_for_math_verify)
{
	static const struct {
		const char *line, *gold; /* gold: NULL: the line is refused */
	} rows[] = {
	        {"{\"problem\":\"p\",\"level\":\"1\",\"solution\":\"\\\\boxed{1}, no: "
	         "\\\\boxed{\\\\frac{1}{\\\\sqrt{2}}} it is\"}",
	                "{\"math\":\"\\\\frac{1}{\\\\sqrt{2}}\"}"},
	        {"{\"problem\":\"p\",\"subject\":\"x\",\"answer\":\" 5 "
	         "\",\"solution\":\"\\\\boxed{6}"
	         "\"}",
	                "{\"math\":\"5\"}"},
	        {"{\"problem\":\"p\",\"answer\":204}", "{\"math\":\"204\"}"},
	        {"{\"problem\":\"p\",\"level\":\"1\",\"solution\":\"\\\\boxed{1\"}", NULL},
	        {"{\"problem\":\"p\",\"level\":\"1\",\"solution\":\"none\"}", NULL},
	        {"{\"problem\":\" \",\"answer\":\"5\"}", NULL},
	        {"{\"problem\":\"p\",\"answer\":\"\"}", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct suite s;
		struct suite_item item;
		suite_open(&s, span_of(rows[i].line));
		const char *why = suite_read(&s, span_of(rows[i].line), 1, 0, &item);
		cr_expect_eq(why == NULL, rows[i].gold != NULL, "%s: %s", rows[i].line,
		        why ? why : "read");
		if (!why) {
			cr_expect_str_eq(item.labels.gold, rows[i].gold);
			cr_expect(strstr(buf_cstr(&item.body), "\\\\boxed{}"));
			suite_item_finish(&item);
		}
	}
}

Test(suite, gpqas_letter_is_where_the_right_choice_stands)
{
	static const char HEADER[] =
	        "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,"
	        "Incorrect Answer 3,Record ID,Subdomain";
	static const char RECORD[] = "\"Which, of all?\",RIGHT,wrong1,wrong2,wrong3,rec7,Optics";
	unsigned seen[4] = {0};
	struct suite s;
	suite_open(&s, SPAN(HEADER));
	for (s.seed = 0; s.seed < 200; s.seed++) {
		struct suite_item i, again;
		cr_assert_null(suite_read(&s, SPAN(RECORD), 1, 0, &i));
		cr_assert_null(suite_read(&s, SPAN(RECORD), 1, 0, &again));
		cr_assert(span_equal(buf_span(&i.body), buf_span(&again.body)), "the same seed");
		char *line = xasprintf("\\n%s) RIGHT", i.labels.gold);
		cr_assert(strstr(buf_cstr(&i.body), line), "%s", buf_cstr(&i.body));
		free(line);
		for (int w = 1; w <= 3; w++) {
			char wrong[32];
			snprintf(wrong, sizeof(wrong), ") wrong%d", w);
			cr_assert(strstr(buf_cstr(&i.body), wrong));
		}
		seen[i.labels.gold[0] - 'A']++;
		cr_assert_str_eq(i.labels.item, "rec7");
		cr_assert_str_eq(i.labels.category, "Optics");
		suite_item_finish(&i);
		suite_item_finish(&again);
	}
	for (int letter = 0; letter < 4; letter++) {
		cr_expect(seen[letter] > 25, "%c: %u of 200", 'A' + letter, seen[letter]);
	}
}

Test(suite, simpleqas_topic_is_its_category)
{
	struct suite s;
	struct suite_item i;
	suite_open(&s, SPAN("metadata,problem,answer"));
	cr_assert_null(suite_read(
	        &s, SPAN("\"{'topic': 'Art', 'x': 1}\",\"Who, then?\", Ida "), 1, 0, &i));
	cr_expect_str_eq(i.labels.category, "Art");
	cr_expect_str_eq(i.labels.gold, "Ida");
	cr_expect(strstr(buf_cstr(&i.body), "\"Who, then?\\n\\nAnswer"));
	suite_item_finish(&i);
	cr_assert_null(suite_read(&s, SPAN("{},Who?,Ida"), 5, 0, &i));
	cr_expect_str_eq(i.labels.category, "simpleqa");
	cr_expect_str_eq(i.labels.item, "simpleqa/5");
	suite_item_finish(&i);
	cr_expect_not_null(suite_read(&s, SPAN("{},Who?"), 1, 0, &i));
}

Test(suite, livecodebench_asks_for_a_program_or_for_the_method)
{
	static const char PROGRAM[] =
	        "{\"question_content\":\"Add.\",\"starter_code\":\"\","
	        "\"question_id\":\"7\",\"difficulty\":\"easy\","
	        "\"public_test_cases\":\"[{\\\"input\\\":1}]\",\"metadata\":\"{}\"}";
	static const char METHOD[] = "{\"question_content\":\"Add.\",\"starter_code\":\"class S:\","
	                             "\"public_test_cases\":\"[]\","
	                             "\"metadata\":\"{\\\"func_name\\\": \\\"add\\\"}\"}";
	struct suite s;
	struct suite_item i;
	suite_open(&s, SPAN(PROGRAM));
	cr_assert_null(suite_read(&s, SPAN(PROGRAM), 1, 0, &i));
	cr_expect_str_eq(i.labels.gold, "{\"tests\":[{\"input\":1}]}");
	cr_expect_str_eq(i.labels.item, "7");
	cr_expect_str_eq(i.labels.category, "easy");
	cr_expect(strstr(buf_cstr(&i.body), "whole Python program"));
	suite_item_finish(&i);
	cr_assert_null(suite_read(&s, SPAN(METHOD), 3, 0, &i));
	cr_expect_str_eq(i.labels.gold, "{\"function\":\"add\",\"tests\":[]}");
	cr_expect_str_eq(i.labels.item, "livecodebench/3");
	cr_expect(strstr(buf_cstr(&i.body), "```python\\nclass S:\\n```"));
	suite_item_finish(&i);
}
