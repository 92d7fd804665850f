#include "analyzer/fold/cause_prompt.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/check.h"

static struct cause_prompt_pair pair(int64_t base, int64_t test, uint32_t messages, bool differ)
{
	return (struct cause_prompt_pair){
	        .base = base, .test = test, .messages = messages, .differ = differ, .greedy = true};
}

static void add(struct cause_prompt *p, int64_t base, int64_t test, uint32_t messages)
{
	struct cause_prompt_pair each = pair(base, test, messages, true);
	cause_prompt_add(p, &each);
}

Test(cause_prompt, equal_counts_are_nothing_and_unknown_ones_are_passed_over)
{
	struct cause_prompt p = {0};
	struct cause_prompt_pair equal = pair(20, 20, 1, true), unknown = pair(-1, 20, 1, true);
	for (int i = 0; i < 100; i++) {
		cr_assert_not(cause_prompt_add(&p, &equal));
		cr_assert_not(cause_prompt_add(&p, &unknown));
	}
	cr_assert_eq(p.n, 100);
	cr_assert_eq(cause_prompt_kind(&p), N_CAUSES);
}

Test(cause_prompt, one_more_token_in_every_prompt_is_a_bos)
{
	for (int delta = -1; delta <= 1; delta += 2) {
		struct cause_prompt p = {0};
		for (uint32_t i = 0; i < 50; i++) {
			add(&p, 20 + i, 20 + i + delta, i % 4);
		}
		cr_assert_eq(cause_prompt_kind(&p), CAUSE_BOS);
	}
}

Test(cause_prompt, tokens_for_each_message_are_a_template)
{
	struct cause_prompt p = {0};
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t messages = 1 + 2 * (i % 3);
		add(&p, 40 + i, 40 + i - messages, messages);
	}
	cr_assert_eq(cause_prompt_kind(&p), CAUSE_TEMPLATE);
}

Test(cause_prompt, a_system_text_of_always_the_same_length_is_a_template)
{
	struct cause_prompt p = {0};
	for (uint32_t i = 0; i < 50; i++) {
		add(&p, 40 + i, 40 + i + 17, 1 + i % 3);
	}
	cr_assert_eq(cause_prompt_kind(&p), CAUSE_TEMPLATE);
}

Test(cause_prompt, only_long_prompts_that_shrink_are_cut)
{
	struct cause_prompt p = {0};
	for (uint32_t i = 0; i < 60; i++) {
		add(&p, 10 + i, MIN(10 + i, 50), 1);
	}
	cr_assert_eq(cause_prompt_kind(&p), CAUSE_TRUNCATED);
	/* Ollama truncates by whole messages. */
	p = (struct cause_prompt){0};
	for (uint32_t i = 0; i < 60; i++) {
		add(&p, 10 + i, 10 + i > 50 ? 30 + i % 9 : 10 + i, 1);
	}
	cr_assert_eq(cause_prompt_kind(&p), CAUSE_TRUNCATED);
}

Test(cause_prompt, tokenisers_that_split_otherwise_are_no_more_than_unlike)
{
	struct cause_prompt p = {0};
	for (uint32_t i = 0; i < 60; i++) {
		add(&p, 40 + i, 40 + i + (i * 7) % 5 - 2, 1);
	}
	cr_assert_eq(cause_prompt_kind(&p), CAUSE_PROMPT_TOKENS);
}

Test(cause_prompt, what_differs_anyway_is_not_explained)
{
	struct cause_prompt p = {0};
	for (int i = 0; i < 100; i++) {
		struct cause_prompt_pair like = pair(20, 20, 1, i % 10 < 2);
		struct cause_prompt_pair unlike = pair(20, 24, 1, i % 10 < 8);
		cause_prompt_add(&p, &like);
		cause_prompt_add(&p, &unlike);
	}
	/* Of 80 that differ 20 would have. */
	cr_assert_eq(cause_prompt_explained(&p), 60);
}

Test(cause_prompt, parts_that_are_merged_say_the_same)
{
	struct cause_prompt all = {0}, parts[3] = {{0}}, merged = {0};
	for (uint32_t i = 0; i < 90; i++) {
		struct cause_prompt_pair each =
		        pair(10 + i, i % 5 ? 10 + i - i % 3 : 10 + i, i % 4, i % 2);
		cause_prompt_add(&all, &each);
		cause_prompt_add(&parts[i / 30], &each);
	}
	for (size_t i = 0; i < 3; i++) {
		cause_prompt_merge(&merged, &parts[i]);
	}
	cr_assert_eq(memcmp(&all, &merged, sizeof(all)), 0);
}

/* Chats with so many tokens more on the test's side; each third one has a system message. */
static void add_chats(struct cause_prompts *p, int64_t usual, int64_t by_word, int64_t by_system)
{
	for (uint32_t i = 0; i < 30; i++) {
		uint32_t words = i % 3 ? 0 : 3 + i;
		struct cause_prompt_pair each = pair(200 + i, 0, 1 + i % 5, true);
		each.test = each.base + usual + by_word * words + (words ? by_system : 0);
		each.system = (struct system_text){.words = words, .bytes = 5 * words};
		cause_prompt_add(&p->of[cause_prompt_group_of(&each)], &each);
	}
}

static void assert_kinds(const struct cause_prompts *p, enum cause_kind chats,
        enum cause_kind with_system, enum cause_kind completions)
{
	enum cause_kind kinds[N_CAUSE_PROMPTS];
	cause_prompts_kinds(p, kinds);
	cr_expect_eq(kinds[PROMPT_OF_CHAT], chats, "%d", kinds[PROMPT_OF_CHAT]);
	cr_expect_eq(kinds[PROMPT_WITH_SYSTEM], with_system, "%d", kinds[PROMPT_WITH_SYSTEM]);
	cr_expect_eq(kinds[PROMPT_OF_COMPLETION], completions, "%d", kinds[PROMPT_OF_COMPLETION]);
}

Test(cause_prompt, a_system_message_that_one_side_drops_takes_its_tokens_with_it)
{
	for (int side = -1; side <= 1; side += 2) {
		struct cause_prompts p = {0};
		add_chats(&p, 0, side * 2, side * 3);
		assert_kinds(&p, N_CAUSES, CAUSE_SYSTEM, N_CAUSES);
		/* Beside a BOS token that is missing too. */
		p = (struct cause_prompts){0};
		add_chats(&p, 1, side * 2, side * 3);
		assert_kinds(&p, CAUSE_BOS, CAUSE_SYSTEM, N_CAUSES);
	}
}

Test(cause_prompt, marks_around_a_system_message_do_not_drop_it)
{
	struct cause_prompts p = {0};
	add_chats(&p, 0, 0, 40);
	assert_kinds(&p, CAUSE_TEMPLATE, CAUSE_TEMPLATE, N_CAUSES);
	p = (struct cause_prompts){0};
	add_chats(&p, 0, 0, 2);
	assert_kinds(&p, CAUSE_TEMPLATE, CAUSE_TEMPLATE, N_CAUSES);
}

Test(cause_prompt, chats_and_completions_have_causes_of_their_own)
{
	struct cause_prompts p = {0};
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t messages = i % 4 == 0 ? 0 : 1 + i % 3;
		int64_t more = messages ? 4 + 3 * (int64_t)messages : -1;
		struct cause_prompt_pair each = pair(40 + i, 40 + i + more, messages, true);
		enum cause_prompt_group group = cause_prompt_group_of(&each);
		cause_prompt_add(&p.of[group], &each);
	}
	assert_kinds(&p, CAUSE_TEMPLATE, CAUSE_TEMPLATE, CAUSE_BOS);
}
