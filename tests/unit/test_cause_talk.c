#include "analyzer/causes/cause_talk.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "seeded.h"

#define WORDS 400

/* So many words of their own. */
static char *say(size_t n)
{
	struct buf text = {0};
	for (size_t i = 0; i < n; i++) {
		buf_printf(&text, "%sw%zu", i ? " " : "", below(WORDS));
	}
	return buf_steal(&text);
}

static char *prompts[2000];
static size_t n_prompts;

static void finish(void)
{
	while (n_prompts > 0) {
		free(prompts[--n_prompts]);
	}
}

TestSuite(cause_talk, .fini = finish);

enum leak { LEAK_NONE, LEAK_NEAR, LEAK_FAR };

/* Exchanges begin one a tick and last for four: some seven others are under way. */
static void add(struct cause_talk *t, size_t i, enum leak leak, bool of_base, bool repeat)
{
	char *answer = say(30), *request = repeat && i > 0 ? xstrdup(prompts[i - 1]) : say(30);
	prompts[n_prompts++] = request;
	size_t from = leak == LEAK_FAR ? i - MIN(i, (size_t)50) : i - MIN(i, (size_t)2);
	struct buf wrong = {0}, body = {0};
	buf_printf(&body, "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", request);
	buf_printf(&wrong, "%.20s %s", answer,
	        leak ? prompts[from] + strlen(prompts[from]) / 2 : "so");
	struct cause_talk_time time = {1000 + i * 100, 1000 + i * 100 + 400};
	struct cause_talk_pair pair = {
	        .base_time = time,
	        .test_time = time,
	        .request = buf_span(&body),
	        .base = of_base ? buf_span(&wrong) : span_of(answer),
	        .test = of_base ? span_of(answer) : buf_span(&wrong),
	        .differ = true,
	        .greedy = true,
	};
	memcpy(pair.exchange.bytes, &i, sizeof(i));
	cause_talk_add(t, &pair);
	buf_finish(&wrong);
	buf_finish(&body);
	free(answer);
}

static void run(struct cause_talk *t, size_t n, enum leak leak, bool of_base, bool repeat)
{
	struct cause_talk block = {0};
	struct cause_words words = {0};
	for (size_t i = 0; i < n; i++) {
		add(&block, i, i % 10 == 9 && i > 60 ? leak : LEAK_NONE, of_base, repeat);
		if (i % 256 == 255 || i + 1 == n) {
			cause_talk_merge(t, &block, &words);
			cause_talk_finish(&block);
		}
	}
	cause_talk_settle(t, &words);
	cause_words_finish(&words);
}

Test(cause_talk, words_of_a_request_under_way_are_heard_on_the_side_that_said_them)
{
	for (int base = 0; base < 2; base++) {
		struct cause_talk t = {0};
		finish();
		run(&t, 1500, LEAK_NEAR, base, false);
		const struct cause_talk_side *heard = base ? &t.base : &t.test;
		const struct cause_talk_side *other = base ? &t.test : &t.base;
		cr_assert_eq(heard->heard, 144);
		cr_assert_eq(heard->greedy_heard, 144);
		cr_assert_eq(heard->elsewhere, 0);
		cr_assert_lt(cause_talk_p(heard), 1e-50);
		cr_assert_eq(other->heard + other->elsewhere, 0);
		cr_assert(isnan(cause_talk_p(other)));
		cr_assert_eq(heard->exchanges.n, CAUSE_EXCHANGES);
		cause_talk_finish(&t);
	}
}

#define BLOCKS 6

static void fill(struct cause_talk blocks[BLOCKS], enum leak leak)
{
	finish();
	for (size_t i = 0; i < 100 * BLOCKS; i++) {
		bool leaks = i % 10 == 9 && i > 60;
		add(&blocks[i / 100], i, leaks ? leak : LEAK_NONE, false, false);
	}
}

/* As the groups of an analysis have it. */
Test(cause_talk, one_index_serves_several_talks)
{
	struct cause_talk talks[2] = {0}, blocks[2][BLOCKS] = {0};
	struct cause_words words = {0};
	fill(blocks[0], LEAK_NEAR);
	fill(blocks[1], LEAK_FAR);
	for (size_t i = 0; i < BLOCKS; i++) {
		for (size_t k = 0; k < 2; k++) {
			cause_talk_merge(&talks[k], &blocks[k][i], &words);
			cause_talk_finish(&blocks[k][i]);
		}
	}
	cause_talk_settle(&talks[0], &words);
	cause_talk_settle(&talks[1], &words);
	cr_assert_eq(talks[0].test.heard, 54);
	cr_assert_eq(talks[0].test.elsewhere, 0);
	cr_assert_eq(talks[1].test.heard, 0);
	cr_assert_eq(talks[1].test.elsewhere, 54);
	cause_talk_finish(&talks[0]);
	cause_talk_finish(&talks[1]);
	cause_words_finish(&words);
}

Test(cause_talk, words_of_others_are_the_control)
{
	struct cause_talk t = {0};
	run(&t, 600, LEAK_FAR, false, false);
	cr_assert_eq(t.test.heard, 0);
	cr_assert_gt(t.test.elsewhere, 30);
	cr_assert_eq(cause_talk_p(&t.test), 1);
	cause_talk_finish(&t);
}

Test(cause_talk, differing_answers_alone_are_not_heard)
{
	struct cause_talk t = {0};
	run(&t, 600, LEAK_NONE, false, false);
	cr_assert_eq(t.test.heard + t.base.heard, 0);
	cause_talk_finish(&t);
}

Test(cause_talk, a_request_that_is_repeated_is_no_other)
{
	struct cause_talk t = {0};
	struct cause_talk block = {0};
	struct cause_words words = {0};
	for (size_t i = 0; i < 100; i++) {
		struct cause_talk_time time = {100 + i, 200 + i};
		const struct cause_talk_pair pair = {
		        .base_time = time,
		        .test_time = time,
		        .request = SPAN("say something about the old house by the river"),
		        .base = SPAN("no"),
		        .test = i % 2 ? SPAN("there it stood for a hundred years and more then")
		                      : SPAN("never mind"),
		        .differ = true,
		};
		cause_talk_add(&block, &pair);
	}
	cause_talk_merge(&t, &block, &words);
	cause_talk_settle(&t, &words);
	cause_words_finish(&words);
	cr_assert_eq(t.test.heard + t.test.elsewhere, 0);
	cause_talk_finish(&block);
	cause_talk_finish(&t);
}

/* More than a block holds. */
static void add_hostile(struct cause_talk *block)
{
	static const char MANY[100000] = {'\\', 'u', '\\'};
	const struct span texts[] = {{NULL, 0}, SPAN("\\"), {MANY, sizeof(MANY)}, SPAN("a b c")};
	for (size_t i = 0; i < 600; i++) {
		const struct cause_talk_pair pair = {
		        .base_time = {i, UINT64_MAX},
		        .test_time = {UINT64_MAX, 0},
		        .request = texts[i % 4],
		        .base = texts[i / 4 % 4],
		        .test = texts[i / 16 % 4],
		        .differ = true,
		};
		cause_talk_add(block, &pair);
	}
}

Test(cause_talk, texts_that_are_empty_or_hostile_do_no_harm)
{
	struct cause_talk t = {0}, block = {0};
	struct cause_words words = {0};
	for (int i = 0; i < 2; i++) {
		add_hostile(&block);
		cr_assert_eq(block.n, CAUSE_TALK_WINDOW, "no more between two merges");
		cause_talk_merge(&t, &block, &words);
		cr_assert_eq(block.n, 0, "what is merged is taken");
	}
	cr_assert_leq(t.n, CAUSE_TALK_WINDOW);
	cause_talk_settle(&t, &words);
	cause_words_finish(&words);
	cause_talk_finish(&block);
	cause_talk_finish(&t);
}
