#include "analyzer/compare/comparison.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "made_answers.h"
#include "readings.h"

#define THOUGHT "<think>Two and two.</think>\\n\\n"
#define ANSWER(content, finish)                                                                    \
	"{\"choices\":[{\"index\":0,\"message\":{\"content\":\"" content                           \
	"\"},\"finish_reason\":\"" finish "\"}]}"

/* request: the body. */
static void compare(const char *base, const char *test, enum decoding decoding, const char *request,
        struct comparison *ret)
{
	struct reading *b = read_body(base), *t = read_body(test);
	const struct comparison_input in = {
	        .base = {b, &b->choices[0], GOLD_NONE},
	        .test = {t, &t->choices[0], GOLD_NONE},
	        .decoding = decoding,
	        .request = span_of(request),
	};
	struct comparison_room room = {0};
	compare_pair(&room, &in, ret);
	comparison_room_finish(&room);
	reading_destroy(b);
	reading_destroy(t);
}

static struct comparison greedy(const char *base, const char *test)
{
	struct comparison c;
	compare(base, test, DECODING_GREEDY, "{}", &c);
	return c;
}

Test(comparison, the_same_input_gives_the_same_bytes_whatever_was_compared_before)
{
	const struct made_side exact = {0}, noisy = {.noise = 0.3, .foreign = 0.05};
	static struct comparison first, again;
	struct comparison_room used = {0};
	random_state = 1;
	for (int i = 0; i < 50; i++) {
		struct choice b, t;
		const struct reading r = {.n_choices = 1, .usage = {-1, -1, -1, -1, -1}};
		made_pair(&exact, &noisy, &b, &t);
		const struct comparison_input in = {
		        .base = {&r, &b, GOLD_NONE},
		        .test = {&r, &t, GOLD_NONE},
		        .decoding = i % 2 ? DECODING_SAMPLED : DECODING_GREEDY,
		        .request = SPAN("{\"prompt\":\"w1 w2 w3\"}"),
		};
		struct comparison_room fresh = {0};
		memset(&first, 0x55, sizeof(first));
		memset(&again, 0xaa, sizeof(again));
		compare_pair(&used, &in, &first);
		compare_pair(&fresh, &in, &again);
		cr_assert_eq(memcmp(&first, &again, sizeof(first)), 0, "%d", i);
		comparison_room_finish(&fresh);
		made_finish(&b);
		made_finish(&t);
	}
	comparison_room_finish(&used);
}

Test(comparison, no_text_of_answers_stays)
{
	struct comparison c = greedy(ANSWER("The answer is **unmistakable**", "stop"),
	        ANSWER("The answer is **unforgettable**", "stop"));
	cr_assert(c.differ && c.meaning.base_value[0] == '\0' && c.meaning.test_value[0] == '\0');
	cr_assert_null(memmem(&c, sizeof(c), "unmistakable", strlen("unmistakable")));
	cr_assert_null(memmem(&c, sizeof(c), "unforgettable", strlen("unforgettable")));
}

Test(comparison, a_side_is_cut_where_it_alone_ended_at_its_limit_and_is_the_same_until_there)
{
	struct comparison c = greedy(ANSWER("one two", "length"), ANSWER("one two three", "stop"));
	cr_assert(c.cut[SIDE_BASE] && !c.cut[SIDE_TEST]);
	c = greedy(ANSWER("one two three", "stop"), ANSWER("one two", "length"));
	cr_assert(!c.cut[SIDE_BASE] && c.cut[SIDE_TEST]);
	c = greedy(ANSWER("one two three", "stop"), ANSWER("one too", "length"));
	cr_assert(!c.cut[SIDE_BASE] && !c.cut[SIDE_TEST], "it is another text");
	c = greedy(ANSWER("one two three", "length"), ANSWER("one two", "length"));
	cr_assert(!c.cut[SIDE_BASE] && !c.cut[SIDE_TEST], "both ended at a limit");
	c = greedy(ANSWER("one two", "length"), ANSWER("one two", "stop"));
	cr_assert(!c.differ && !c.cut[SIDE_BASE] && !c.cut[SIDE_TEST], "nothing is missing");
}

Test(comparison, a_side_ends_with_the_stop_sequence_that_was_asked_for)
{
	static const char REQUEST[] = "{\"stop\":[\"END\",\"\\n\"]}";
	static const char PLAIN[] = ANSWER("one two", "stop"),
	                  WITH[] = ANSWER("one twoEND", "stop");
	struct comparison c;
	compare(PLAIN, WITH, DECODING_GREEDY, REQUEST, &c);
	cr_assert(c.differ && c.stop[SIDE_TEST] && !c.stop[SIDE_BASE]);
	compare(WITH, PLAIN, DECODING_GREEDY, REQUEST, &c);
	cr_assert(c.stop[SIDE_BASE] && !c.stop[SIDE_TEST]);
	compare(WITH, PLAIN, DECODING_GREEDY, "{}", &c);
	cr_assert(!c.stop[SIDE_BASE] && !c.stop[SIDE_TEST], "nobody asked for it");
	compare(PLAIN, ANSWER("one 2END", "stop"), DECODING_GREEDY, REQUEST, &c);
	cr_assert(!c.stop[SIDE_BASE] && !c.stop[SIDE_TEST], "it is another text");
}

Test(comparison, reasoning_in_another_place_is_no_difference)
{
	static const char INLINE[] = ANSWER(THOUGHT "Four.", "stop");
	static const char FIELD[] = "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"Four.\","
	                            "\"reasoning_content\":\"Two and two.\"},\"finish_reason\":"
	                            "\"stop\"}]}";
	struct comparison c = greedy(INLINE, FIELD);
	cr_assert(c.placement_differs && !c.differ && c.text_equal && c.reasoning_equal);
	cr_assert(c.base.place == REASONING_INLINE && c.test.place == REASONING_FIELD);
	cr_assert(c.base.text_bytes == 5 && c.test.text_bytes == 5);
	c = greedy(INLINE, INLINE);
	cr_assert(!c.placement_differs && !c.differ);
	cr_assert_gt(c.base.text_bytes, 5, "as it came");
	c = greedy(INLINE, ANSWER("Five.", "stop"));
	cr_assert(c.placement_differs && c.differ && !c.text_equal && !c.reasoning_equal);
}

/* One token, listed with another. */
#define LISTED(token, lp, other, other_lp)                                                         \
	CHOICE("\"message\":{\"content\":\"" token "\"},\"logprobs\":{\"content\":["               \
	       "{\"token\":\"" token "\",\"logprob\":" lp ",\"top_logprobs\":["                    \
	       "{\"token\":\"" token "\",\"logprob\":" lp "},"                                     \
	       "{\"token\":\"" other "\",\"logprob\":" other_lp "}]}]}")

Test(comparison, the_opening_is_of_sampled_answers_with_lists)
{
	static const char ONE[] = LISTED("x", "-0.5", "y", "-1.2"),
	                  OTHER[] = LISTED("x", "-1.2", "y", "-0.5");
	struct comparison c;
	compare(ONE, OTHER, DECODING_SAMPLED, "{}", &c);
	cr_assert(c.has_opening && c.opening[OPENING_SAME_TOP] == 0);
	compare(ONE, ONE, DECODING_SAMPLED, "{}", &c);
	cr_assert(c.has_opening && c.opening[OPENING_SAME_TOP] == 1);
	compare(ONE, ANSWER("x", "stop"), DECODING_SAMPLED, "{}", &c);
	cr_assert_not(c.has_opening);
	c = greedy(ONE, OTHER);
	cr_assert_not(c.has_opening);
}

Test(comparison, tokens_are_counted_by_both_engines_or_by_their_logprobs)
{
	static const char LISTS[] = LISTED("x", "-0.5", "y", "-1.2");
	static const char COUNTED[] = "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"x\"},"
	                              "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,"
	                              "\"completion_tokens\":2,\"total_tokens\":11}}";
	struct comparison c = greedy(COUNTED, COUNTED);
	cr_assert(c.base.tokens == 2 && c.test.tokens == 2);
	c = greedy(LISTS, LISTS);
	cr_assert(c.base.tokens == 1 && c.test.tokens == 1 && !c.base.without_tokens);
	c = greedy(COUNTED, LISTS);
	cr_assert(c.base.tokens == -1 && c.test.tokens == -1, "not by two kinds of counts");
}

Test(comparison, facts_are_those_of_the_comparison)
{
	struct pair_facts f;
	struct comparison c =
	        greedy(LISTED("x", "-0.5", "y", "-1.2"), LISTED("y", "-0.3", "x", "-1.5"));
	pair_facts_of(&c, &f);
	cr_assert(
	        f.differ && f.tokens_differ && f.at_risk == 1 && f.tops == 1 && f.tops_equal == 0);
	cr_assert(f.has_first && f.divergence_index == 0);
	cr_assert_float_eq(f.first.shift, 0.7 + 1.2, 1e-6);
	c = greedy(ANSWER("x", "stop"), ANSWER("x", "stop"));
	pair_facts_of(&c, &f);
	cr_assert(!f.differ && f.decided && !f.changed && f.at_risk == 0);
	cr_assert(isnan(f.divergence_index));
}
