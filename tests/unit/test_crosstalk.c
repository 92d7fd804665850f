#include "analyzer/rows/crosstalk.h"

#include "analyzer/fold/causes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "seeded.h"

#define WORDS 400

/* Adds so many unique words. */
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

/* Of the rows that came. */
static struct crosstalk_side base, test;

static void take(void *arg, const struct row *row, const struct pair_texts *texts)
{
	(void)arg;
	cr_assert_str_eq(row->crosstalk.base, "trusted");
	cr_assert_str_eq(row->crosstalk.test, "prod");
	crosstalk_side_add(row->crosstalk.of_base ? &base : &test, &row->crosstalk);
}

static const struct row_sink SINK = {ALL_ROWS, take, NULL};

static void finish(void)
{
	while (n_prompts > 0) {
		free(prompts[--n_prompts]);
	}
}

TestSuite(crosstalk, .fini = finish);

enum leak { LEAK_NONE, LEAK_NEAR, LEAK_FAR };

/* An exchange starts every tick and lasts for four, so about seven others run. */
static void add(struct crosstalk *t, size_t i, enum leak leak, bool of_base, bool repeat)
{
	char *answer = say(30), *request = repeat && i > 0 ? xstrdup(prompts[i - 1]) : say(30);
	prompts[n_prompts++] = request;
	size_t from = leak == LEAK_FAR ? i - MIN(i, (size_t)50) : i - MIN(i, (size_t)2);
	struct buf wrong = {0}, body = {0};
	buf_printf(&body, "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", request);
	buf_printf(&wrong, "%.20s %s", answer,
	        leak ? prompts[from] + strlen(prompts[from]) / 2 : "so");
	struct crosstalk_time time = {1000 + i * 100, 1000 + i * 100 + 400};
	struct crosstalk_pair pair = {
	        .base_name = "trusted",
	        .test_name = "prod",
	        .base_time = time,
	        .test_time = time,
	        .request = buf_span(&body),
	        .base = of_base ? buf_span(&wrong) : span_of(answer),
	        .test = of_base ? span_of(answer) : buf_span(&wrong),
	        .differ = true,
	        .greedy = true,
	};
	memcpy(pair.exchange.bytes, &i, sizeof(i));
	crosstalk_add(t, &pair);
	buf_finish(&wrong);
	buf_finish(&body);
	free(answer);
}

static void run(size_t n, enum leak leak, bool of_base, bool repeat)
{
	struct crosstalk t = {.sink = &SINK};
	base = test = (struct crosstalk_side){0};
	for (size_t i = 0; i < n; i++) {
		add(&t, i, i % 10 == 9 && i > 60 ? leak : LEAK_NONE, of_base, repeat);
	}
	crosstalk_end(&t);
}

Test(crosstalk, words_of_a_request_under_way_are_heard_on_the_side_that_said_them)
{
	for (int of_base = 0; of_base < 2; of_base++) {
		finish();
		run(1500, LEAK_NEAR, of_base, false);
		const struct crosstalk_side *side = of_base ? &base : &test;
		const struct crosstalk_side *other = of_base ? &test : &base;
		cr_assert_eq(side->in_flight, 144);
		cr_assert_eq(side->greedy_in_flight, 144);
		cr_assert_eq(side->elsewhere, 0);
		cr_assert_lt(crosstalk_side_p(side), 1e-50);
		cr_assert_lt(crosstalk_side_control_p(side), 1e-40);
		cr_assert_eq(other->in_flight + other->elsewhere, 0);
		cr_assert(isnan(crosstalk_side_p(other)));
		cr_assert_eq(side->exchanges.n, CAUSE_EXCHANGES);
	}
}

Test(crosstalk, words_of_others_are_the_control)
{
	run(600, LEAK_FAR, false, false);
	cr_assert_eq(test.in_flight, 0);
	cr_assert_gt(test.elsewhere, 30);
	cr_assert_eq(crosstalk_side_p(&test), 1);
}

/* Requests that run at the same time are often alike, as those of one batch are: then sound answers
 * have words in common with them, on either side. */
Test(crosstalk, alike_requests_at_the_same_time_are_no_leak)
{
	struct crosstalk t = {.sink = &SINK};
	base = test = (struct crosstalk_side){0};
	for (size_t i = 0; i < 300; i++) {
		size_t batch = i / 4;
		char *own = say(30), *other = say(30);
		struct buf body = {0}, texts[2] = {{0}, {0}};
		buf_printf(&body, "topic %zu one two three four five six seven %s", batch, own);
		for (size_t k = 0; k < 2; k++) {
			if (below(2)) {
				buf_printf(&texts[k],
				        "%zu we note that in the case of kind %zu all holds ", k,
				        batch);
			}
			buf_printf(&texts[k], "%s", k ? own : other);
		}
		struct crosstalk_time time = {1000 + batch * 100, 1090 + batch * 100};
		const struct crosstalk_pair pair = {
		        .exchange = {.bytes = {(uint8_t)i, (uint8_t)(i >> 8)}},
		        .base_name = "trusted",
		        .test_name = "prod",
		        .base_time = time,
		        .test_time = time,
		        .request = buf_span(&body),
		        .base = buf_span(&texts[0]),
		        .test = buf_span(&texts[1]),
		        .differ = true,
		        .greedy = true,
		};
		crosstalk_add(&t, &pair);
		buf_finish(&body);
		buf_finish(&texts[0]);
		buf_finish(&texts[1]);
		free(own);
		free(other);
	}
	crosstalk_end(&t);
	cr_assert_gt(test.in_flight, 20);
	cr_assert_lt(crosstalk_side_p(&test), 0.01, "in flight, such words are common");
	cr_assert_gt(crosstalk_side_control_p(&test), 0.01);
	cr_assert_gt(crosstalk_side_control_p(&base), 0.01);
}

Test(crosstalk, groups_are_apart)
{
	struct crosstalk t = {.sink = &SINK};
	base = test = (struct crosstalk_side){0};
	const struct span leaked = SPAN("say something about the old house by the river");
	for (size_t i = 0; i < 2; i++) {
		const struct crosstalk_pair pair = {
		        .exchange = {.bytes = {(uint8_t)i}},
		        .base_name = "trusted",
		        .test_name = i ? "other" : "prod",
		        .base_time = {1, 2},
		        .test_time = {1, 2},
		        .request = i ? leaked : SPAN("a"),
		        .base = SPAN("no"),
		        .test = i ? SPAN("yes") : leaked,
		        .differ = true,
		};
		crosstalk_add(&t, &pair);
	}
	crosstalk_end(&t);
	cr_assert_eq(test.in_flight + test.elsewhere, 0);
}

/* More of them than a run that is rare may have, so that nothing is learned from a window that
 * goes on and on. */
Test(crosstalk, what_left_the_window_is_forgotten)
{
	run(2 * CROSSTALK_AROUND + 1, LEAK_NONE, false, false);
	struct crosstalk t = {.sink = &SINK};
	base = test = (struct crosstalk_side){0};
	finish();
	for (size_t i = 0; i < 3 * CROSSTALK_AROUND; i++) {
		add(&t, i, LEAK_NONE, false, false);
	}
	struct buf body = {0};
	buf_printf(&body, "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", prompts[0]);
	const struct crosstalk_pair late = {
	        .exchange = {.bytes = {1}},
	        .base_name = "trusted",
	        .test_name = "prod",
	        .base_time = {1, 2},
	        .test_time = {1, 2},
	        .request = SPAN("a"),
	        .base = SPAN("no"),
	        .test = buf_span(&body),
	        .differ = true,
	};
	crosstalk_add(&t, &late);
	crosstalk_end(&t);
	cr_assert_eq(test.in_flight + test.elsewhere, 0);
	buf_finish(&body);
}

Test(crosstalk, differing_answers_alone_are_not_heard)
{
	run(600, LEAK_NONE, false, false);
	cr_assert_eq(test.in_flight + base.in_flight, 0);
}

Test(crosstalk, a_request_that_is_repeated_is_no_other)
{
	struct crosstalk t = {.sink = &SINK};
	base = test = (struct crosstalk_side){0};
	for (size_t i = 0; i < 100; i++) {
		struct crosstalk_time time = {100 + i, 200 + i};
		const struct crosstalk_pair pair = {
		        .base_name = "trusted",
		        .test_name = "prod",
		        .base_time = time,
		        .test_time = time,
		        .request = SPAN("say something about the old house by the river"),
		        .base = SPAN("no"),
		        .test = i % 2 ? SPAN("there it stood for a hundred years and more then")
		                      : SPAN("never mind"),
		        .differ = true,
		};
		crosstalk_add(&t, &pair);
	}
	crosstalk_end(&t);
	cr_assert_eq(test.in_flight + test.elsewhere, 0);
}

Test(crosstalk, texts_that_are_empty_or_hostile_do_no_harm)
{
	static const char MANY[100000] = {'\\', 'u', '\\'};
	const struct span texts[] = {{NULL, 0}, SPAN("\\"), {MANY, sizeof(MANY)}, SPAN("a b c")};
	struct crosstalk t = {.sink = &SINK};
	for (size_t i = 0; i < 1200; i++) {
		const struct crosstalk_pair pair = {
		        .base_name = "trusted",
		        .test_name = "prod",
		        .base_time = {i, UINT64_MAX},
		        .test_time = {UINT64_MAX, 0},
		        .request = texts[i % 4],
		        .base = texts[i / 4 % 4],
		        .test = texts[i / 16 % 4],
		        .differ = true,
		};
		crosstalk_add(&t, &pair);
	}
	crosstalk_end(&t);
}
