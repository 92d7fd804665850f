#include <criterion/criterion.h>

#include "backends/injection/outline.h"
#include "base/buf.h"

static const char ANSWER[] =
        " {\"id\": \"x\", \"choices\": [{\"index\": 0, \"logprobs\": {\"a\": [1]}, "
        "\"finish_reason\": \"stop\"}, {\"token_ids\": [1, 2]}], \"usage\": null} ";

static void expect_member(
        const struct outline_member *m, enum outline_name name, const char *key, const char *value)
{
	cr_expect_eq(m->name, name, "%s", key);
	cr_expect(json_token_is_key(&m->key, key));
	cr_expect(span_is(m->value, value), "%.*s", (int)m->value.len, m->value.data);
}

Test(outline, has_the_members_of_the_text_and_of_each_choice)
{
	struct outline o = {0};
	outline_read(&o, span_of(ANSWER));
	struct outline_members top = outline_members(&o);
	cr_assert_eq(top.n, 3);
	expect_member(&top.items[0], OUTLINE_OTHER, "id", "\"x\"");
	cr_expect_eq(top.items[1].name, OUTLINE_CHOICES);
	expect_member(&top.items[2], OUTLINE_USAGE, "usage", "null");

	struct outline_choices choices = outline_choices(&o, &top.items[1]);
	cr_assert_eq(choices.n, 2);
	struct outline_members first = outline_choice_members(&o, &choices.items[0]);
	cr_assert_eq(first.n, 3);
	expect_member(&first.items[1], OUTLINE_LOGPROBS, "logprobs", "{\"a\": [1]}");
	expect_member(&first.items[2], OUTLINE_FINISH_REASON, "finish_reason", "\"stop\"");
	struct outline_members second = outline_choice_members(&o, &choices.items[1]);
	cr_assert_eq(second.n, 1);
	expect_member(&second.items[0], OUTLINE_TOKEN_IDS, "token_ids", "[1, 2]");
	cr_expect(span_is(choices.items[1].text, "{\"token_ids\": [1, 2]}"));

	cr_expect_eq(o.object.len, sizeof(ANSWER) - 3, "the spaces around it are left out");
	outline_finish(&o);
}

Test(outline, names_logprobs_only_in_choices_and_choices_only_outside)
{
	struct outline o = {0};
	outline_read(&o, SPAN("{\"logprobs\":1,\"choices\":[{\"choices\":[{}],\"usage\":2}]}"));
	struct outline_members top = outline_members(&o);
	cr_assert_eq(top.n, 2);
	cr_expect_eq(top.items[0].name, OUTLINE_OTHER);
	struct outline_choices choices = outline_choices(&o, &top.items[1]);
	cr_assert_eq(choices.n, 1);
	struct outline_members inside = outline_choice_members(&o, &choices.items[0]);
	cr_expect_eq(inside.items[0].name, OUTLINE_OTHER);
	cr_expect_eq(inside.items[1].name, OUTLINE_OTHER);
	outline_finish(&o);
}

Test(outline, keeps_several_arrays_of_choices_apart)
{
	struct outline o = {0};
	outline_read(&o, SPAN("{\"choices\":[{},1],\"choices\":[{\"a\":1}],\"choices\":{}}"));
	struct outline_members top = outline_members(&o);
	cr_assert_eq(top.n, 3);
	cr_expect_eq(outline_choices(&o, &top.items[0]).n, 2);
	struct outline_choices second = outline_choices(&o, &top.items[1]);
	cr_assert_eq(second.n, 1);
	cr_expect_eq(outline_choice_members(&o, &second.items[0]).n, 1);
	cr_expect_eq(top.items[2].name, OUTLINE_OTHER);
	outline_finish(&o);
}

Test(outline, does_not_validate_what_injection_adds)
{
	struct outline o = {0};
	outline_read(&o, SPAN("{\"choices\":[{\"logprobs\":{\"a\"},\"token_ids\":[nan,,]}]}"));
	cr_expect(o.object.len > 0);
	outline_read(&o, SPAN("{\"choices\":[{\"message\":{\"a\"},\"logprobs\":{}}]}"));
	cr_expect_eq(o.object.len, 0);
	outline_finish(&o);
}

Test(outline, of_a_broken_text_has_the_members_before_the_error)
{
	static const struct {
		const char *text;
		size_t members;
	} cases[] = {
	        {"", 0},
	        {"[DONE]", 0},
	        {"null", 0},
	        {"{\"a\":1,\"b\":2", 2},
	        {"{\"a\":1}}", 1},
	        {"{\"a\":1,\"choices\":[{\"b\":1}", 2},
	};
	struct outline o = {0};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		outline_read(&o, span_of(cases[i].text));
		cr_expect_eq(o.object.len, 0, "%s", cases[i].text);
		cr_expect_eq(outline_members(&o).n, cases[i].members, "%s", cases[i].text);
	}
	outline_finish(&o);
}

/* Returns {"choices":[ELEMENT,ELEMENT,...]}. */
static struct buf choices_of(const char *element, size_t n)
{
	struct buf text = {0};
	buf_append_str(&text, "{\"choices\":[");
	for (size_t i = 0; i < n; i++) {
		buf_append_str(&text, i ? "," : "");
		buf_append_str(&text, element);
	}
	buf_append_str(&text, "]}");
	return text;
}

Test(outline, has_the_choices_of_thousands_of_prompts_but_not_of_any_number)
{
	static const char PLAIN[] = "{\"index\":0,\"text\":\" a\",\"logprobs\":null,"
	                            "\"finish_reason\":\"length\",\"stop_reason\":null}";
	struct outline o = {0};
	struct buf many = choices_of(PLAIN, 20000), hostile = choices_of("1", 200000);
	outline_read(&o, buf_span(&many));
	cr_expect(o.object.len > 0);
	outline_read(&o, buf_span(&hostile));
	cr_expect_eq(o.object.len, 0);
	cr_expect_leq(outline_choices(&o, outline_members(&o).items).n, OUTLINE_LIMIT(hostile.len));
	outline_finish(&o);
	buf_finish(&many);
	buf_finish(&hostile);
}
