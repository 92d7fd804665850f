#include "replay/sessions.h"

#include <string.h>

#include <criterion/criterion.h>

#define U(t) "{\"role\":\"user\",\"content\":\"" t "\"}"
#define A(t) "{\"role\":\"assistant\",\"content\":\"" t "\"}"
#define CHAT(m) "{\"model\":\"m\",\"messages\":[" m "],\"n\":1}"

/* A session of three turns, and a second third turn. */
static struct plan_send sends[] = {
        {.request = 0, .after = PLAN_NONE},
        {.request = 1, .after = 0},
        {.request = 2, .after = 1},
        {.request = 3, .after = 1},
        {.request = 4, .after = PLAN_NONE},
};
static struct plan plan = {.sends = sends, .n_sends = ARRAY_LEN(sends)};

static const char SECOND[] = CHAT(U("a") "," A("old") "," U("b"));
static const char THIRD[] = CHAT(U("a") "," A("old") "," U("b") "," A("old too") "," U("c"));

static void becomes(const struct sessions *s, uint32_t send, const char *body, const char *wanted)
{
	struct buf to = {0};
	const char *why = sessions_put(s, send, span_of(body), &to);
	cr_assert_null(why, "%s", why);
	cr_expect_str_eq(buf_cstr(&to), wanted);
	buf_finish(&to);
}

static void refuses(const struct sessions *s, uint32_t send, const char *body, const char *says)
{
	struct buf to = {0};
	const char *why = sessions_put(s, send, span_of(body), &to);
	cr_expect(why && strstr(why, says), "%s", why ? why : "fine");
	cr_expect_eq(to.len, 0);
}

Test(sessions, all_turns_before_are_answered_anew)
{
	struct sessions *s = sessions_create(&plan);
	cr_expect(sessions_wants(s, 0) && sessions_wants(s, 1));
	cr_expect(!sessions_wants(s, 2) && !sessions_wants(s, 4));
	sessions_answer(s, 0, 1, SPAN("say \"1\"\n"));
	sessions_send_ended(s, 0);
	becomes(s, 1, SECOND, CHAT(U("a") "," A("say \\\"1\\\"\\n") "," U("b")));
	sessions_answer(s, 1, 3, SPAN("2"));
	sessions_send_ended(s, 1);
	becomes(s, 2, THIRD,
	        CHAT(U("a") "," A("say \\\"1\\\"\\n") "," U("b") "," A("2") "," U("c")));
	sessions_send_ended(s, 2);
	becomes(s, 3, THIRD,
	        CHAT(U("a") "," A("say \\\"1\\\"\\n") "," U("b") "," A("2") "," U("c")));
	sessions_send_ended(s, 3);
	sessions_send_ended(s, 4);
	sessions_destroy(s);
}

Test(sessions, a_turn_without_an_answer_leaves_no_later_turn)
{
	struct sessions *s = sessions_create(&plan);
	sessions_send_ended(s, 0); /* it failed */
	refuses(s, 1, SECOND, "the turn before it has no answer");
	sessions_send_ended(s, 1);
	refuses(s, 2, THIRD, "the turn before it has no answer");
	sessions_destroy(s);
}

Test(sessions, what_was_sent_before_is_told_of_and_goes_on)
{
	struct plan_send later[ARRAY_LEN(sends)];
	struct plan p = {.sends = later, .n_sends = ARRAY_LEN(sends)};
	memcpy(later, sends, sizeof(sends));
	later[0].skipped = later[1].skipped = later[2].skipped = true;
	struct sessions *s = sessions_create(&p);
	cr_expect(sessions_wants(s, 0) && sessions_wants(s, 1), "for the second third turn");
	sessions_answer(s, 0, 1, SPAN("x"));
	sessions_send_ended(s, 0);
	sessions_answer(s, 1, 3, SPAN("y"));
	sessions_send_ended(s, 1);
	sessions_send_ended(s, 2);
	becomes(s, 3, THIRD, CHAT(U("a") "," A("x") "," U("b") "," A("y") "," U("c")));
	sessions_destroy(s);
	later[3].skipped = true;
	s = sessions_create(&p);
	cr_expect(!sessions_wants(s, 0) && !sessions_wants(s, 1), "nobody waits");
	for (uint32_t i = 0; i < ARRAY_LEN(sends); i++) {
		sessions_send_ended(s, i);
	}
	sessions_destroy(s);
}

Test(sessions, a_history_that_is_none_is_told)
{
	struct sessions *s = sessions_create(&plan);
	sessions_answer(s, 0, 1, SPAN("x"));
	refuses(s, 1, CHAT(U("a")), "lacks the answer to the turn before");
	refuses(s, 1, CHAT(U("a") "," U("b") "," U("c")), "lacks the answer to the turn before");
	refuses(s, 1, "{\"prompt\":\"p\"}", "not a chat");
	refuses(s, 1, CHAT(U("a") ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{}]}"),
	        "tool calls");
	sessions_destroy(s);
}

Test(sessions, an_answer_is_put_without_its_thoughts_and_a_call_is_none)
{
	struct sessions *s = sessions_create(&plan);
	struct tool_call call = {.name = (char *)"f"};
	struct choice choice = {.calls = &call, .n_calls = 1};
	struct reading reading = {.choices = &choice, .n_choices = 1};
	sessions_answer_read(s, 0, 1, &reading);
	refuses(s, 1, SECOND, "the turn before it has no answer");
	struct thought thought = {0, 7, 10, 18};
	choice = (struct choice){.thoughts = &thought, .n_thoughts = 1};
	buf_append_str(&choice.text, "<think>hm.</think>\n\nyes");
	sessions_answer_read(s, 0, 1, &reading);
	becomes(s, 1, SECOND, CHAT(U("a") "," A("yes") "," U("b")));
	buf_finish(&choice.text);
	sessions_destroy(s);
}
