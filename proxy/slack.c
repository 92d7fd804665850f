#include "proxy/slack.h"

#include <stdio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

#define EVERY_MS 1000

/* Memory of our own that is resident, in bytes. 0: not known. */
static size_t memory_of_our_own(void)
{
	unsigned long size, resident, shared;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f) {
		return 0;
	}
	int n = fscanf(f, "%lu %lu %lu", &size, &resident, &shared);
	fclose(f);
	return n == 3 && resident > shared ? (resident - shared) * (size_t)sysconf(_SC_PAGESIZE)
	                                   : 0;
}

static size_t beyond(size_t used)
{
	size_t own = memory_of_our_own();
	return own > used ? own - used : 0;
}

static void look(struct slack *s)
{
	size_t used = budget_used(s->budget), slack = beyond(used);
	bool calm = used < s->budget->limit / SLACK_CALM;
	if (calm && slack > SLACK_MUCH && slack - SLACK_MUCH > s->least) {
		mem_give_back();
		s->least = beyond(used);
	} else {
		s->least = MIN(s->least, slack);
	}
}

static void on_timer(uv_timer_t *timer)
{
	look(timer->data);
}

void slack_watch(struct slack *s, uv_loop_t *loop, const struct budget *budget)
{
	s->budget = budget;
	s->least = SIZE_MAX;
	expect(uv_timer_init(loop, &s->timer) == 0);
	s->timer.data = s;
	uv_timer_start(&s->timer, on_timer, 0, EVERY_MS);
}

void slack_close(struct slack *s)
{
	uv_close((uv_handle_t *)&s->timer, NULL);
}
