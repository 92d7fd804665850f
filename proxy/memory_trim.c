#include "proxy/memory_trim.h"

#include <stdio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

#define EVERY_MS 1000

/* Private resident memory beyond what the budget counts, in bytes. False: unknown, for example
 * if no descriptor is free. */
static bool measure_excess(const struct memory_trim *s, size_t *ret)
{
	unsigned long size, resident, shared;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f) {
		return false;
	}
	int n = fscanf(f, "%lu %lu %lu", &size, &resident, &shared);
	fclose(f);
	if (n != 3 || resident < shared) {
		return false;
	}
	size_t own = (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
	size_t used = budget_used(s->budget);
	*ret = own > used ? own - used : 0;
	return true;
}

static void check(struct memory_trim *s)
{
	size_t excess;
	bool calm = budget_used(s->budget) < s->budget->limit / MEMORY_TRIM_CALM;
	s->calm = calm ? s->calm + 1 : 0;
	if (!calm || !measure_excess(s, &excess)) {
		return;
	}
	if (s->calm >= MEMORY_TRIM_CALM_CHECKS && excess > MEMORY_TRIM_EXCESS &&
	        excess - MEMORY_TRIM_EXCESS > s->least) {
		mem_trim();
		s->least = SIZE_MAX; /* the next check sets it anew */
		s->calm = 0;
	} else {
		s->least = MIN(s->least, excess);
	}
}

static void on_timer(uv_timer_t *timer)
{
	check(timer->data);
}

void memory_trim_watch(struct memory_trim *s, uv_loop_t *loop, const struct budget *budget)
{
	s->budget = budget;
	s->least = SIZE_MAX;
	s->calm = 0;
	expect(uv_timer_init(loop, &s->timer) == 0);
	s->timer.data = s;
	uv_timer_start(&s->timer, on_timer, 0, EVERY_MS);
}

void memory_trim_close(struct memory_trim *s)
{
	uv_close((uv_handle_t *)&s->timer, NULL);
}
