#include "backends/copy_body.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct scene {
	struct copy_rules to;
	const struct dialect *from_dialect, *to_dialect;
	struct sampling stated; /* by the primary's engine */
	struct copy_body copy;
};

static const char *make(struct scene *s, enum endpoint endpoint, const char *body)
{
	struct request_facts facts;
	request_read(endpoint, span_of(body), &facts);
	struct copy_body_plan plan = {
	        .rules = &s->to,
	        .from = s->from_dialect,
	        .to = s->to_dialect,
	        .from_stated = &s->stated,
	        .endpoint = endpoint,
	        .facts = &facts,
	        .body = span_of(body),
	};
	return copy_body_make(&plan, &s->copy);
}

/* Returns the copy for a reference of that dialect. */
static const char *sent(struct scene *s, enum endpoint endpoint, const char *body)
{
	cr_assert_null(make(s, endpoint, body));
	return s->copy.edited ? buf_cstr(&s->copy.sent) : body;
}

static struct scene scene_of(const char *from, const char *to)
{
	return (struct scene){
	        .from_dialect = dialect_find(from),
	        .to_dialect = dialect_find(to),
	        .stated = {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
	};
}

Test(copy_body, a_model_that_takes_less_is_known_by_the_name_it_has_there)
{
	struct model_map models[] = {{(char *)"prod", (char *)"o3-mini"}};
	struct scene s = scene_of("generic", "openai");
	s.to.models = models;
	s.to.n_models = 1;
	static const char body[] = "{\"model\":\"prod\",\"max_tokens\":5}";
	cr_expect_str_eq(sent(&s, ENDPOINT_CHAT, body),
	        "{\"model\":\"o3-mini\",\"max_completion_tokens\":5}");
	copy_body_finish(&s.copy);
	s.to.n_models = 0;
	cr_expect_str_eq(sent(&s, ENDPOINT_CHAT, body), body);
	copy_body_finish(&s.copy);
}

Test(copy_body, what_the_primary_tells_wins_over_what_is_believed_of_its_kind)
{
	struct scene s = scene_of("ollama", "vllm");
	s.to.align = ALIGN_SAME;
	sent(&s, ENDPOINT_CHAT, "{\"model\":\"m\"}");
	cr_expect_not_null(strstr(s.copy.sent.data, "\"temperature\":1"));
	copy_body_finish(&s.copy);
	s.stated.top_k = 33;
	sent(&s, ENDPOINT_CHAT, "{\"model\":\"m\"}");
	cr_expect_not_null(strstr(s.copy.sent.data, "\"temperature\":1"));
	cr_expect_not_null(strstr(s.copy.sent.data, "\"top_k\":33"));
	copy_body_finish(&s.copy);
}

Test(copy_body, what_cannot_be_asked_is_said)
{
	struct scene s = scene_of("generic", "tgi");
	sent(&s, ENDPOINT_CHAT, "{\"model\":\"m\"}");
	cr_expect_null(s.copy.unable);
	copy_body_finish(&s.copy);
	s.to.thinking = THINKING_OFF;
	sent(&s, ENDPOINT_CHAT, "{\"model\":\"m\"}");
	cr_assert_not_null(s.copy.unable);
	cr_expect_not_null(strstr(s.copy.unable, "thinking"));
	copy_body_finish(&s.copy);
	s.to.thinking = THINKING_AS_ASKED;
	s.to.align = ALIGN_SAME;
	sent(&s, ENDPOINT_CHAT, "{\"model\":\"m\"}");
	cr_assert_not_null(s.copy.unable);
	cr_expect_not_null(strstr(s.copy.unable, "defaults of the primary's engine"));
	copy_body_finish(&s.copy);
	s.stated.temperature = 0.6;
	sent(&s, ENDPOINT_CHAT, "{\"model\":\"m\"}");
	cr_expect_null(s.copy.unable, "one is known");
	copy_body_finish(&s.copy);
}

/* With more members than the limit, the copy must not be sent as aligned. */
Test(copy_body, what_cannot_be_aligned_is_refused_where_it_would_have_to_be)
{
	struct buf many = {0};
	buf_append_str(&many, "{\"temperature\":1");
	for (int i = 0; i <= ALIGN_MEMBERS_MAX; i++) {
		buf_printf(&many, ",\"m%d\":0", i);
	}
	buf_append_char(&many, '}');
	struct scene s = scene_of("generic", "vllm");
	cr_expect_str_eq(sent(&s, ENDPOINT_CHAT, buf_cstr(&many)), buf_cstr(&many));
	copy_body_finish(&s.copy);
	s.to.align = ALIGN_GREEDY;
	const char *why = make(&s, ENDPOINT_CHAT, buf_cstr(&many));
	cr_assert_not_null(why);
	cr_expect_not_null(strstr(why, "members"), "%s", why);
	s.to.align = ALIGN_NONE;
	s.to.thinking = THINKING_OFF;
	cr_expect_not_null(make(&s, ENDPOINT_CHAT, buf_cstr(&many)));
	buf_finish(&many);
}

Test(copy_body, a_leg_says_that_its_chat_was_written_out)
{
	struct scene s = scene_of("generic", "vllm");
	static const char chat[] =
	        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
	sent(&s, ENDPOINT_CHAT, chat);
	cr_expect_eq(s.copy.marks & LEG_WRITTEN_OUT, 0);
	copy_body_finish(&s.copy);
	s.to.completions_template = template_find("plain");
	sent(&s, ENDPOINT_CHAT, chat);
	cr_expect(s.copy.marks & LEG_WRITTEN_OUT && s.copy.endpoint == ENDPOINT_COMPLETION);
	copy_body_finish(&s.copy);
	sent(&s, ENDPOINT_COMPLETION, "{\"model\":\"m\",\"prompt\":\"hi\"}");
	cr_expect_eq(s.copy.marks & LEG_WRITTEN_OUT, 0, "it had been no chat");
	copy_body_finish(&s.copy);
}
