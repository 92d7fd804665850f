#include "replay/think_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/mem.h"

bool think_time_parse(const char *text, struct think_time_wish *ret)
{
	ret->said = true;
	ret->recorded = strcmp(text, "recorded") == 0;
	ret->fixed = 0;
	return ret->recorded || conf_parse_duration(text, &ret->fixed);
}

void think_time_init(
        struct think_time *t, const struct think_time_wish *wish, bool told, size_t n_sends)
{
	*t = (struct think_time){.wish = *wish};
	if (wish->fixed > 0 || wish->recorded || (told && !wish->said)) {
		t->over = xcalloc(n_sends + 1, sizeof(*t->over));
		t->answered = xcalloc(n_sends + 1, sizeof(*t->answered));
	}
}

void think_time_finish(struct think_time *t)
{
	free(t->over);
	free(t->answered);
}

void think_time_recorded(struct think_time *t, uint32_t send, uint64_t answered)
{
	if (t->answered) {
		t->answered[send] = answered;
	}
}

void think_time_over(struct think_time *t, uint32_t send, uint64_t now)
{
	if (t->over) {
		t->over[send] = now;
	}
}

bool think_time_is_known(const struct think_time *t, uint32_t after, uint64_t came, uint64_t told)
{
	return !t->wish.recorded || t->over[after] == 0 || told > 0 ||
	       (came > 0 && t->answered[after] > 0);
}

uint64_t think_time_until(const struct think_time *t, uint32_t after, uint64_t came, uint64_t told)
{
	if (!t->over || t->over[after] == 0) {
		return 0;
	}
	if (t->wish.said && !t->wish.recorded) {
		return t->over[after] + t->wish.fixed;
	}
	if (told > 0 || !t->wish.recorded) {
		return t->over[after] + told;
	}
	uint64_t answered = t->answered[after];
	return t->over[after] + (answered > 0 && came > answered ? came - answered : 0);
}
