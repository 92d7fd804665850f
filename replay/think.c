#include "replay/think.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/mem.h"

bool think_parse(const char *text, struct think_wish *ret)
{
	ret->said = true;
	ret->recorded = strcmp(text, "recorded") == 0;
	ret->fixed = 0;
	return ret->recorded || conf_parse_duration(text, &ret->fixed);
}

void think_init(struct think *t, const struct think_wish *wish, bool told, size_t n_sends)
{
	*t = (struct think){.wish = *wish};
	if (wish->fixed > 0 || wish->recorded || (told && !wish->said)) {
		t->over = xcalloc(n_sends + 1, sizeof(*t->over));
		t->answered = xcalloc(n_sends + 1, sizeof(*t->answered));
	}
}

void think_finish(struct think *t)
{
	free(t->over);
	free(t->answered);
}

void think_recorded(struct think *t, uint32_t send, uint64_t answered)
{
	if (t->answered) {
		t->answered[send] = answered;
	}
}

void think_over(struct think *t, uint32_t send, uint64_t now)
{
	if (t->over) {
		t->over[send] = now;
	}
}

bool think_is_known(const struct think *t, uint32_t after, uint64_t came, uint64_t told)
{
	return !t->wish.recorded || t->over[after] == 0 || told > 0 ||
	       (came > 0 && t->answered[after] > 0);
}

uint64_t think_until(const struct think *t, uint32_t after, uint64_t came, uint64_t told)
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
