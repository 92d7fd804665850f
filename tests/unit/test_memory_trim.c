#include "proxy/memory_trim.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scarcity.h"

#define BODY ((size_t)96 << 10)
#define BODIES 400
#define LIMIT ((size_t)64 << 20)

static size_t resident(void)
{
	size_t mapped, resident;
	read_statm(&mapped, &resident);
	return resident;
}

struct scene {
	struct budget budget;
	struct memory_trim slack;
	uv_loop_t loop;
	uv_timer_t begins, ends;
	int64_t least; /* bytes to be freed before the end */
	int patience;  /* ticks that the end waits for them */
	void *small[BODIES];
};

/* Allocates as traffic does: large pieces, and after each a small one that stays. Returns the
 * memory afterwards. */
static size_t rush(struct scene *s)
{
	char *large[BODIES];
	for (size_t i = 0; i < BODIES; i++) {
		large[i] = xmalloc(BODY);
		memset(large[i], 'x', BODY);
		s->small[i] = xmalloc(32);
	}
	for (size_t i = 0; i < BODIES; i++) {
		free(large[i]);
	}
	return resident();
}

static size_t after_rush;

static void on_begin(uv_timer_t *timer)
{
	after_rush = rush(timer->data);
}

static void on_end(uv_timer_t *timer)
{
	struct scene *s = timer->data;
	if ((int64_t)after_rush - (int64_t)resident() < s->least && s->patience-- > 0) {
		return;
	}
	memory_trim_close(&s->slack);
	uv_close((uv_handle_t *)&s->begins, NULL);
	uv_close((uv_handle_t *)&s->ends, NULL);
}

/* Returns the memory freed in the seconds after a burst, with so many counted bytes. Waits longer for
 * at least `least` bytes: on a busy machine, checks of the memory are late. */
static int64_t given_back(size_t used, int64_t least)
{
	static struct scene s;
	s.least = least;
	s.patience = 300;
	mem_return_large_blocks();
	budget_init(&s.budget, LIMIT);
	budget_force(&s.budget, used);
	cr_assert_eq(uv_loop_init(&s.loop), 0);
	memory_trim_watch(&s.slack, &s.loop, &s.budget);
	uv_timer_init(&s.loop, &s.begins);
	uv_timer_init(&s.loop, &s.ends);
	s.begins.data = s.ends.data = &s;
	uv_timer_start(&s.begins, on_begin, 100, 0);
	uv_timer_start(&s.ends, on_end, (MEMORY_TRIM_CALM_CHECKS + 2) * 1000, 100);
	uv_run(&s.loop, UV_RUN_DEFAULT);
	cr_assert_eq(uv_loop_close(&s.loop), 0);
	int64_t less = (int64_t)after_rush - (int64_t)resident();
	for (size_t i = 0; i < BODIES; i++) {
		free(s.small[i]);
	}
	return less;
}

#ifndef NO_SCARCITY

Test(memory_trim, is_given_back_once_traffic_is_calm)
{
	const int64_t most = BODIES * BODY * 3 / 4;
	int64_t less = given_back(0, most + 1);
	cr_assert_gt(less, most, "%lld KiB", (long long)less >> 10);
}

#endif

Test(memory_trim, stays_while_traffic_wants_it)
{
	int64_t less = given_back(LIMIT / MEMORY_TRIM_CALM, INT64_MIN);
	cr_assert_lt(less, (int64_t)(BODIES * BODY / 4), "%lld KiB", (long long)less >> 10);
}
