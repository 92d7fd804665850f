#include <criterion/criterion.h>

#include "analyzer/stats/counts.h"
#include <math.h>
#include <string.h>

#include "analyzer/fold/pair_sums.h"
#include "base/json.h"

struct said {
	const char *text, *reasoning, *refusal, *finish;
	struct {
		const char *name, *arguments;
	} calls[3];
};

static struct reading *read_answer(const struct said *a)
{
	struct buf body = {0};
	buf_append_str(&body,
	        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":");
	if (a->text) {
		json_put_string(&body, span_of(a->text));
	} else {
		buf_append_str(&body, "null");
	}
	if (a->reasoning) {
		buf_append_str(&body, ",\"reasoning\":");
		json_put_string(&body, span_of(a->reasoning));
	}
	if (a->refusal) {
		buf_append_str(&body, ",\"refusal\":");
		json_put_string(&body, span_of(a->refusal));
	}
	for (size_t i = 0; i < ARRAY_LEN(a->calls) && a->calls[i].name; i++) {
		buf_printf(&body,
		        "%s{\"id\":\"c%zu\",\"type\":\"function\",\"function\":{\"name\":",
		        i ? "," : ",\"tool_calls\":[", i);
		json_put_string(&body, span_of(a->calls[i].name));
		buf_append_str(&body, ",\"arguments\":");
		json_put_string(&body, span_of(a->calls[i].arguments));
		buf_append_str(&body, "}}");
	}
	buf_append_str(&body, a->calls[0].name ? "]}" : "}");
	buf_append_str(&body, ",\"finish_reason\":");
	json_put_string(&body, span_of(a->finish ? a->finish : "stop"));
	buf_append_str(&body, "}]}");
	struct reading_hints hints = {.endpoint = ENDPOINT_CHAT,
	        .status = 200,
	        .framing = FRAMING_UNARY,
	        .has_tools = true};
	struct reader *r = reader_create(&hints);
	reader_feed(r, body.data, body.len);
	buf_finish(&body);
	struct reading *reading = reader_end(r, true);
	cr_assert_eq(reading->n_choices, 1);
	return reading;
}

static struct meaning compared_for(struct said a, struct said b, const struct task *task)
{
	struct meaning_room room = {0};
	struct meaning m, back;
	struct reading *x = read_answer(&a), *y = read_answer(&b);
	meaning_compare(&room, &x->choices[0], &y->choices[0], task, &m);
	meaning_compare(&room, &y->choices[0], &x->choices[0], task, &back);
	cr_expect(m.rung == back.rung && m.class == back.class && m.marks == back.marks);
	reading_destroy(x);
	reading_destroy(y);
	meaning_room_finish(&room);
	return m;
}

static struct meaning compared(struct said a, struct said b)
{
	return compared_for(a, b, NULL);
}

#define A(...) ((struct said){__VA_ARGS__})

/* One call in the text of one answer, and in a member of the other. */
static enum meaning_class moved_call(const char *text, const char *arguments)
{
	return compared(
	        A(text, .finish = "stop"), A(.finish = "tool_calls", .calls = {{"f", arguments}}))
	        .class;
}

/* A form with tags does not say which values are texts. The engine that reads it knows the
 * function's schema. */
Test(answers, types_of_values_in_a_text_do_not_make_calls_differ)
{
#define CALL(value)                                                                                \
	"<tool_call>\n<function=f>\n<parameter=x>\n" value                                         \
	"\n</parameter>\n</function>\n</tool_call>"
	cr_expect_eq(moved_call(CALL("Paris"), "{\"x\":\"Paris\"}"), MEANING_FORMAT);
	cr_expect_eq(moved_call(CALL("12345"), "{\"x\":12345}"), MEANING_FORMAT);
	cr_expect_eq(moved_call(CALL("12345"), "{\"x\":\"12345\"}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("1.5"), "{\"x\":\"1.5\"}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("1.10"), "{\"x\":1.1}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("[1.0]"), "{\"x\":[1]}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("[1, 0]"), "{\"x\":[1,0]}"), MEANING_FORMAT);
	cr_expect_eq(compared(A(CALL("1e2")), A(CALL("100"))).class, MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("True"), "{\"x\":true}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("None"), "{\"x\":null}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("['a', 1]"), "{\"x\":[\"a\",1]}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL(" a "), "{\"x\":\"a\"}"), MEANING_UNDECIDED);
	cr_expect_eq(moved_call(CALL("Paris"), "{\"x\":\"Rome\"}"), MEANING_ANSWER_CHANGED);
	cr_expect_eq(moved_call(CALL("1"), "{\"x\":2}"), MEANING_ANSWER_CHANGED);
	cr_expect_eq(moved_call(CALL("1"), "{\"x\":1,\"y\":2}"), MEANING_ANSWER_CHANGED);
	cr_expect_eq(moved_call(CALL("1"), "{}"), MEANING_ANSWER_CHANGED);
#undef CALL
}

Test(answers, reasoning_in_another_place_is_format)
{
	static const char *const inlines[] = {
	        "<think>hm</think>Paris", "<think>\nhm\n</think>\n\nParis", "hm</think>Paris"};
	for (size_t i = 0; i < ARRAY_LEN(inlines); i++) {
		struct meaning m = compared(A(inlines[i]), A("Paris"));
		cr_expect(m.class == MEANING_FORMAT && m.rung == RUNG_BYTES, "%s: %s", inlines[i],
		        meaning_class_name(m.class));
		cr_expect(m.marks & MEANING_MARK_PLACEMENT);
	}
	struct meaning m = compared(A("t</think>4"), A("4"));
	cr_expect_eq(m.class, MEANING_FORMAT);
	m = compared(A("<think>t</think>4"), A("4"));
	cr_expect_eq(m.class, MEANING_FORMAT);
	m = compared(A("<think>t</think>4"), A("5"));
	cr_expect_eq(m.class, MEANING_ANSWER_CHANGED);
	m = compared(A("4", .reasoning = "t"), A("<think>t</think>4"));
	cr_expect(m.class == MEANING_FORMAT && m.reasoning.rung == RUNG_BYTES);
	m = compared(A("4", .reasoning = "one way"), A("4", .reasoning = "another"));
	cr_expect(m.class == MEANING_IDENTICAL && m.reasoning.rung == RUNG_DIFFERENT);
}

Test(answers, calls_are_compared_by_name_and_canonical_arguments)
{
	struct said a = A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"y\":2}"}});
	struct meaning m =
	        compared(a, A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"y\":2}"}}));
	cr_expect(m.class == MEANING_IDENTICAL && m.calls.matched == m.calls.base);
	m = compared(a, A(.finish = "stop", .calls = {{"f", "{\"y\": 2, \"x\": 1.0}"}}));
	cr_expect(m.class == MEANING_FORMAT && m.rung == RUNG_STRUCTURE && m.calls.matched == 1);
	m = compared(a, A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"y\":3}"}}));
	cr_expect(m.class == MEANING_ANSWER_CHANGED && m.calls.matched == 0 && m.calls.named == 1);
	m = compared(a, A(.finish = "tool_calls", .calls = {{"g", "{\"x\":1,\"y\":2}"}}));
	cr_expect(m.class == MEANING_ANSWER_CHANGED && m.calls.named == 0);
	m = compared(
	        a, A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"y\":2}"}, {"g", "{}"}}));
	cr_expect(m.class == MEANING_ANSWER_CHANGED);
	m = compared(A(.finish = "tool_calls", .calls = {{"f", "{}"}, {"g", "{}"}}),
	        A(.finish = "tool_calls", .calls = {{"g", "{}"}, {"f", "{}"}}));
	cr_expect(m.class == MEANING_UNDECIDED && m.calls.matched == m.calls.base);
	m = compared(A(.finish = "tool_calls", .calls = {{"f", ""}}),
	        A(.finish = "tool_calls", .calls = {{"f", "{}"}}));
	cr_expect(m.class == MEANING_FORMAT);
	m = compared(a, A("It is sunny."));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_CALLS_MISSING));
	m = compared(A(.finish = "tool_calls", .calls = {{"f", "{\"x\":"}}), a);
	cr_expect_neq(m.class, MEANING_IDENTICAL);
	cr_expect_gt(m.class, MEANING_WORDING);
}

Test(answers, a_key_that_comes_twice_in_a_call_is_never_the_same_call)
{
	struct meaning m =
	        compared(A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"x\":2}"}}),
	                A(.finish = "tool_calls", .calls = {{"f", "{\"x\":2}"}}));
	cr_expect_gt(m.class, MEANING_WORDING);
	/* Lone surrogates have no canonical form. */
	m = compared(A(.finish = "tool_calls", .calls = {{"f", "{\"x\":\"\\ud83d\"}"}}),
	        A(.finish = "tool_calls", .calls = {{"f", "{\"x\":\"\\ud83c\"}"}}));
	cr_expect_gt(m.class, MEANING_WORDING);
	m = compared(A("{\"x\":\"\\ud83d\"}"), A("{\"x\":\"\\ud83c\"}"));
	cr_expect_gt(m.class, MEANING_FORMAT);
}

Test(answers, what_is_said_beside_the_same_calls)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {{"Let me check the weather in Paris.", "I'll look that up for you.", false},
	        {"I'll look that up for you.", NULL, true},
	        {"I will delete the file now.", NULL, true},
	        {"I'll call weather for Paris:", "Calling the weather tool.", false},
	        {"The total is 5.", "The total is 7.", false},
	        {"I delete it.", "I keep it.", false}, {"I'll do it.", "I won't do it.", false},
	        {"The answer is A.", "The answer is B.", false},
	        {"It is 5 in all.", "Let me check.", false},
	        {"Let me check.", "Don't let me check.", false}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct said a = A(rows[i].a, .finish = "tool_calls",
		        .calls = {{"get_weather", "{\"city\":\"Paris\"}"}});
		struct said b = a;
		b.text = rows[i].b;
		struct meaning m = compared(a, b);
		cr_expect_eq(m.class <= MEANING_WORDING, rows[i].same, "%s | %s: %s", rows[i].a,
		        rows[i].b ? rows[i].b : "", meaning_class_name(m.class));
	}
}

Test(answers, other_kinds_of_answers_are_structural)
{
	struct meaning m = compared(A("Paris"), A("Paris", .finish = "length"));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_TRUNCATED));
	m = compared(A("Paris"), A("Paris", .finish = "eos_token"));
	cr_expect_eq(m.class, MEANING_IDENTICAL);
	m = compared(A("Paris"), A("Paris", .finish = "content_filter"));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_FINISH));
	m = compared(A("Paris"), A(.refusal = "I won't."));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_REFUSAL));
	m = compared(A("Paris"), A(""));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_EMPTY));
	m = compared(
	        A("the sum is 425", .finish = "length"), A("the sum is 42", .finish = "length"));
	cr_expect_gt(m.class, MEANING_WORDING);
	m = compared(
	        A("The answer is 42", .finish = "length"), A("Answer: 42", .finish = "length"));
	cr_expect_gt(m.class, MEANING_WORDING);
}

Test(answers, refusals_are_compared_like_answers)
{
	static const struct said no = {.refusal = "I can't help with that."};
	cr_expect_eq(compared(no, no).class, MEANING_IDENTICAL);
	cr_expect_eq(compared(no, A(.refusal = "I can't help with that. ")).class, MEANING_FORMAT);
	cr_expect_gt(compared(no, A(.refusal = "This violates the policy.")).class, MEANING_FORMAT);
	cr_expect_gt(compared(A("Paris", .refusal = "I can't go on."),
	                     A("Paris", .refusal = "This violates the policy."))
	                     .class,
	        MEANING_FORMAT);
	cr_expect_eq(compared(A("The answer is 4.", .refusal = "I can't go on."),
	                     A("The answer is 5.", .refusal = "I can't go on."))
	                     .class,
	        MEANING_ANSWER_CHANGED);
}

Test(answers, a_certain_change_counts_more_than_undecided_refusals)
{
	static const char ONE[] = "I can't help with that.", OTHER[] = "This violates the policy.";
	cr_assert_eq(compared(A(.refusal = ONE), A(.refusal = OTHER)).class, MEANING_UNDECIDED);
	struct meaning m = compared(
	        A("The answer is 4.", .refusal = ONE), A("The answer is 5.", .refusal = OTHER));
	cr_expect_eq(m.class, MEANING_ANSWER_CHANGED);
	m = compared(A("Paris", .refusal = ONE), A("", .refusal = OTHER));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_EMPTY));
	m = compared(
	        A(OTHER, .refusal = "The answer is 4."), A(ONE, .refusal = "The answer is 5."));
	cr_expect_eq(m.class, MEANING_ANSWER_CHANGED);
}

Test(answers, a_loop_at_the_end_is_structural)
{
	struct buf text = {0};
	buf_append_str(&text, "Let us begin with the plan.");
	for (int i = 0; i < 6; i++) {
		buf_append_str(&text, " And then we go on to do the same again.");
	}
	struct meaning m = compared(
	        A("Let us begin with the plan. It has three parts to it."), A(buf_cstr(&text)));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_LOOP));
	buf_finish(&text);
}

Test(answers, says_what_was_compared)
{
	struct meaning m = compared(A("The answer is 42."), A("The answer is 17."));
	cr_expect_str_eq(m.base_value, "42");
	cr_expect_str_eq(m.test_value, "17");
	cr_expect(m.basis == BASIS_NUMBER && m.severity == MEANING_SEVERITY_SEVERE);
}

Test(answers, reasoning_that_was_cut_leaves_no_answer)
{
	struct meaning m = compared(A("<think>so it is"), A("<think>so it is</think>4"));
	cr_expect(m.class == MEANING_STRUCTURAL && (m.marks & MEANING_MARK_THOUGHT_CUT));
	cr_expect(m.marks & MEANING_MARK_EMPTY);
	m = compared(A("<think>so it is", .finish = "length"),
	        A("<think>so it was", .finish = "length"));
	cr_expect_gt(m.class, MEANING_WORDING, "two cut thoughts are no answers that agree");
	m = compared(A("", .reasoning = "so it is", .finish = "length"),
	        A("", .reasoning = "so it was", .finish = ""));
	cr_expect_eq(m.class, MEANING_UNDECIDED, "the other's finish reason is not known");
}

Test(answers, the_same_answer_is_told_without_reading_it)
{
	struct said a = A("4", .reasoning = "t");
	struct reading *x = read_answer(&a), *y = read_answer(&a);
	cr_expect(meaning_is_same(&x->choices[0], &y->choices[0]));
	struct meaning_room room = {0};
	struct meaning m;
	meaning_compare(&room, &x->choices[0], &y->choices[0], NULL, &m);
	cr_expect(m.class == MEANING_IDENTICAL && m.rung == RUNG_BYTES &&
	          m.severity == MEANING_SEVERITY_NONE);
	cr_expect(m.reasoning.base_len == 1 && m.similarity == 1);
	cr_expect_eq(room.text_a.cap, 0, "nothing was copied");
	buf_append_char(&y->choices[0].reasoning, '.');
	cr_expect_not(meaning_is_same(&x->choices[0], &y->choices[0]));
	reading_destroy(x);
	reading_destroy(y);
	meaning_room_finish(&room);
}

Test(answers, the_right_answer_tells_who_is_right)
{
	static const struct {
		const char *base, *test, *gold;
		enum question q;
		enum meaning_gold of_base, of_test;
	} rows[] = {
	        {"The answer is 18.", "So we get 18.0", "18", QUESTION_NUMBER, GOLD_RIGHT,
	                GOLD_UNDECIDED},
	        {"So she has 3 \\cdot 6 = \\boxed{18}", "It is not \\boxed{18}", "18",
	                QUESTION_NUMBER, GOLD_RIGHT, GOLD_UNDECIDED},
	        {"So the answer is 18.", "Bob's answer is 18.", "18", QUESTION_NUMBER, GOLD_RIGHT,
	                GOLD_UNDECIDED},
	        {"$x = \\boxed{18}$", "$3x = \\boxed{18}$", "18", QUESTION_NUMBER, GOLD_RIGHT,
	                GOLD_UNDECIDED},
	        {"The answer is 18.", "The answer is 17.", "She sells 9.\n#### 18", QUESTION_NUMBER,
	                GOLD_RIGHT, GOLD_WRONG},
	        {"The answer is 17.", "#### 18", "18", QUESTION_OPEN, GOLD_WRONG, GOLD_RIGHT},
	        {"The answer is 16.", "The answer is 17.", "18", QUESTION_OPEN, GOLD_WRONG,
	                GOLD_WRONG},
	        {"The answer is B.", "(C)", "B", QUESTION_CHOICE, GOLD_RIGHT, GOLD_WRONG},
	        {"B. Paris", "B) is wrong", "B", QUESTION_CHOICE, GOLD_RIGHT, GOLD_UNDECIDED},
	        {"Paris", "It is hard to say where.", "Paris", QUESTION_OPEN, GOLD_RIGHT,
	                GOLD_UNDECIDED},
	        {"\\boxed{\\frac{1}{2}}", "\\boxed{0.5}", "1/2", QUESTION_OPEN, GOLD_RIGHT,
	                GOLD_RIGHT},
	        {"Pierre Curie.", "It was Pierre Curie.", "Pierre Curie", QUESTION_OPEN, GOLD_RIGHT,
	                GOLD_UNDECIDED},
	        {"", "18", "18", QUESTION_NUMBER, GOLD_WRONG, GOLD_RIGHT},
	        {"17", "18", "18", QUESTION_NUMBER, GOLD_WRONG, GOLD_RIGHT},
	        {"18", "18", "", QUESTION_NUMBER, GOLD_NONE, GOLD_NONE},
	        {"18", "18", "18", QUESTION_NUMBER, GOLD_RIGHT, GOLD_RIGHT},
	};
	struct meaning_counts counts = {0};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct task task = {.question = rows[i].q, .gold = span_of(rows[i].gold)};
		struct meaning m = compared_for(A(rows[i].base), A(rows[i].test), &task);
		cr_expect(m.base_gold == rows[i].of_base && m.test_gold == rows[i].of_test,
		        "<%s>: %s, <%s>: %s", rows[i].base, meaning_gold_name(m.base_gold),
		        rows[i].test, meaning_gold_name(m.test_gold));
		meaning_counts_add(&counts, &m);
	}
	cr_expect_eq(gold_judged(&counts.gold), 8);
	cr_expect_eq(gold_broke(&counts.gold), 2);
	cr_expect_eq(gold_fixed(&counts.gold), 3);
	cr_expect_float_eq(gold_score_shift(&counts.gold), 100.0 / 8, 1e-9);
}

Test(answers, calls_are_held_against_their_schemas)
{
	struct task task = {0};
	task_read(&task, ENDPOINT_CHAT,
	        SPAN("{\"messages\":[],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
	             "\"f\","
	             "\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":"
	             "\"integer\"},\"unit\":{\"type\":\"string\",\"default\":\"C\"}},\"required\":"
	             "[\"x\"]}}}]}"));
	struct said a = A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1}"}});
	struct meaning m = compared_for(
	        a, A(.finish = "tool_calls", .calls = {{"f", "{\"x\":\"1\"}"}}), &task);
	cr_expect(m.class == MEANING_ANSWER_CHANGED && (m.marks & MEANING_MARK_INVALID_CALLS));
	cr_expect(m.calls.base_valid == 1 && m.calls.test_valid == 0 && m.calls.test_checked == 1);
	m = compared_for(
	        a, A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"unit\":\"C\"}"}}), &task);
	cr_expect_eq(m.class, MEANING_UNDECIDED, "the default, spelt out");
	m = compared_for(
	        a, A(.finish = "tool_calls", .calls = {{"f", "{\"x\":1,\"unit\":\"F\"}"}}), &task);
	cr_expect_eq(m.class, MEANING_ANSWER_CHANGED);
	m = compared_for(a, A(.finish = "tool_calls", .calls = {{"g", "{\"x\":1}"}}), &task);
	cr_expect(m.calls.test_checked == 1 && m.calls.test_valid == 0,
	        "a tool that was not offered");
	task_finish(&task);
}
