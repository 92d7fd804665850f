#include <criterion/criterion.h>
#include <time.h>

#include "base/clock.h"
#include "capture/recorder/queue.h"

#define LIMIT 8000u

struct lag {
	unsigned calls;
	bool lags;
};

static void note(void *arg, bool lags)
{
	struct lag *l = arg;
	l->calls++;
	l->lags = lags;
}

static struct queue *queue_of(struct lag *l)
{
	return queue_create(
	        &(struct queue_settings){.encoders = 1, .limit = LIMIT, .on_lag = note, .arg = l});
}

static void push(struct queue *q, size_t bytes)
{
	struct item *i = item_create(ITEM_MANIFEST, (struct id){{0}});
	i->bytes = bytes;
	cr_assert_eq(queue_push(q, i), 0);
}

static void encode_one(struct queue *q)
{
	struct item *i = queue_next_to_encode(q, 0);
	queue_encoded(q, i, i->bytes);
}

/* Removes the front element, as the writer does. */
static void write_one(struct queue *q)
{
	struct item *i = queue_next_batch(q, LIMIT, 1, 1);
	queue_release(q, i->bytes);
	item_destroy(i);
}

static void finish(struct queue *q)
{
	queue_stop(q);
	for (struct item *i = queue_rest(q), *next; i; i = next) {
		next = i->next;
		item_destroy(i);
	}
	queue_destroy(q);
}

Test(queue, lags_from_a_quarter_until_an_eighth_of_its_limit)
{
	struct lag l = {0}, quarter, more, eighth_and_byte, eighth;
	struct queue *q = queue_of(&l);
	uint64_t begun = clock_mono();
	push(q, LIMIT / 8);
	push(q, LIMIT / 8);
	quarter = l;
	push(q, 1);
	more = l;
	for (int i = 0; i < 3; i++) {
		encode_one(q);
	}
	write_one(q);
	eighth_and_byte = l;
	write_one(q);
	eighth = l;
	finish(q);
	if (clock_mono() - begun >= QUEUE_LATE_NS) {
		cr_skip_test("this process stood still, so its items were late");
	}
	cr_expect_eq(quarter.calls, 0, "a quarter is not more than a quarter");
	cr_expect(more.lags);
	cr_expect(eighth_and_byte.lags);
	cr_expect_not(eighth.lags);
	cr_expect_eq(eighth.calls, 2);
}

Test(queue, lags_while_its_first_item_waits_too_long_though_nothing_else_comes)
{
	struct lag l = {0};
	struct queue *q = queue_of(&l);
	push(q, 1);
	cr_expect_not(queue_wait_ready(q, 2 * QUEUE_LATE_NS));
	cr_expect(l.lags);
	encode_one(q);
	write_one(q);
	cr_expect_not(l.lags);
	finish(q);
}

Test(queue, lags_from_its_stop_on)
{
	struct lag l = {0};
	struct queue *q = queue_of(&l);
	queue_stop(q);
	cr_expect(l.lags);
	queue_destroy(q);
}
