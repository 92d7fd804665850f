#include "analyzer/annotate/annotator.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"

#define ITEMS 100

struct work {
	enum question_end (*end)(size_t item); /* how the question about an item ends */
	unsigned asked[ITEMS];
	atomic_uint opened, closed, stopped;
};

static bool ask(struct annotator *a, void *arg, void *client, size_t from, size_t to)
{
	struct work *w = arg;
	bool asked = false;
	annotator_lock(a);
	for (size_t i = from; i < to; i++) {
		enum question_end end = w->end(i);
		w->asked[i]++;
		annotator_count(a, end, "why");
		asked |= end != QUESTION_UNABLE;
	}
	annotator_unlock(a);
	return asked;
}

static void *open_client(const void *arg, char **ret_error)
{
	struct work *w = (struct work *)(uintptr_t)arg;
	if (atomic_fetch_add(&w->opened, 1) == 2) {
		*ret_error = xstrdup("no more clients");
		return NULL;
	}
	return w;
}

static void close_client(void *client)
{
	if (client) {
		((struct work *)client)->closed++;
	}
}

static void stop_client(void *client)
{
	((struct work *)client)->stopped++;
}

static struct annotator_settings settings_of(struct work *w, unsigned workers)
{
	return (struct annotator_settings){
	        .noun = "items",
	        .workers = workers,
	        .items = ITEMS,
	        .questions = ITEMS,
	        .limit = UINT64_MAX,
	        .arg = w,
	        .ask = ask,
	};
}

static enum question_end all_done(size_t item)
{
	return QUESTION_DONE;
}

static enum question_end every_third_unable(size_t item)
{
	return item % 3 == 0 ? QUESTION_UNABLE : QUESTION_DONE;
}

static enum question_end gone_from_ten_on(size_t item)
{
	return item < 10 ? QUESTION_DONE : QUESTION_GONE;
}

static enum question_end gone_now_and_then(size_t item)
{
	return item % 3 ? QUESTION_GONE : QUESTION_FAILED;
}

static enum question_end gone_or_unable(size_t item)
{
	return item % 3 == 2 ? QUESTION_UNABLE : QUESTION_GONE;
}

Test(annotator, asks_once_about_each_item_in_batches_of_any_size)
{
	for (size_t batch = 0; batch < 8; batch++) {
		struct work w = {.end = all_done};
		struct annotator_tally t = {0};
		struct annotator_settings s = settings_of(&w, 4);
		s.batch = batch;
		cr_assert_null(annotator_run(&s, &t));
		cr_assert_eq(t.done, ITEMS);
		for (size_t i = 0; i < ITEMS; i++) {
			cr_assert_eq(w.asked[i], 1);
		}
		annotator_tally_finish(&t);
	}
}

Test(annotator, items_that_cannot_be_asked_about_do_not_count_in_the_limit)
{
	struct work w = {.end = every_third_unable};
	struct annotator_tally t = {0};
	struct annotator_settings s = settings_of(&w, 8);
	s.limit = 20;
	cr_assert_null(annotator_run(&s, &t));
	cr_assert_eq(t.done, 20);
	cr_assert(t.unable.total > 0 && t.failed.total == 0 && !t.stopped);
	annotator_tally_finish(&t);
}

Test(annotator, ends_when_three_questions_in_a_row_reach_no_engine)
{
	struct work w = {.end = gone_from_ten_on};
	struct annotator_tally t = {0};
	struct annotator_settings s = settings_of(&w, 2);
	s.open = open_client;
	s.close = close_client;
	s.stop = stop_client;
	cr_assert_null(annotator_run(&s, &t));
	cr_assert(t.gone && t.done == 10);
	/* The other worker may have begun, and may end the tenth item in between. */
	cr_assert(t.failed.total >= 3 && t.failed.total <= 8);
	cr_assert(w.stopped == 2 && w.closed == 2);
	annotator_tally_finish(&t);
	w = (struct work){.end = gone_now_and_then};
	s.open = NULL;
	s.stop = NULL;
	s.workers = 1;
	cr_assert_null(annotator_run(&s, &t));
	cr_assert(!t.gone && t.failed.total == ITEMS);
	annotator_tally_finish(&t);
}

Test(annotator, items_that_cannot_be_asked_about_do_not_hide_that_the_engine_is_gone)
{
	struct work w = {.end = gone_or_unable};
	struct annotator_tally t = {0};
	struct annotator_settings s = settings_of(&w, 1);
	cr_assert_null(annotator_run(&s, &t));
	cr_assert(t.gone && t.failed.total == 3 && t.unable.total == 1);
	annotator_tally_finish(&t);
}

Test(annotator, begins_nothing_if_a_client_cannot_be_made)
{
	struct work w = {.end = all_done};
	struct annotator_tally t = {0};
	struct annotator_settings s = settings_of(&w, 4);
	s.open = open_client;
	s.close = close_client;
	char *error = annotator_run(&s, &t);
	cr_assert_str_eq(error, "no more clients");
	cr_assert(w.opened == 3 && w.closed == 2 && t.done == 0);
	free(error);
}
