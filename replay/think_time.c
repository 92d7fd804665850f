#include "replay/think_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/mem.h"

bool think_time_parse(const char *text, struct think_time_setting *ret)
{
	ret->is_set = true;
	ret->recorded = strcmp(text, "recorded") == 0;
	ret->fixed = 0;
	return ret->recorded || conf_parse_duration(text, &ret->fixed);
}

void think_time_init(
        struct think_time *t, const struct think_time_setting *setting, bool stated, size_t n_sends)
{
	*t = (struct think_time){.setting = *setting};
	if (setting->fixed > 0 || setting->recorded || (stated && !setting->is_set)) {
		t->ended = xcalloc(n_sends + 1, sizeof(*t->ended));
		t->answered = xcalloc(n_sends + 1, sizeof(*t->answered));
	}
}

void think_time_finish(struct think_time *t)
{
	free(t->ended);
	free(t->answered);
}

void think_time_recorded(struct think_time *t, uint32_t send, uint64_t answered)
{
	if (t->answered) {
		t->answered[send] = answered;
	}
}

void think_time_send_ended(struct think_time *t, uint32_t send, uint64_t now)
{
	if (t->ended) {
		t->ended[send] = now;
	}
}

bool think_time_is_known(
        const struct think_time *t, uint32_t after, uint64_t arrived, uint64_t stated)
{
	return !t->setting.recorded || t->ended[after] == 0 || stated > 0 ||
	       (arrived > 0 && t->answered[after] > 0);
}

uint64_t think_time_until(
        const struct think_time *t, uint32_t after, uint64_t arrived, uint64_t stated)
{
	if (!t->ended || t->ended[after] == 0) {
		return 0;
	}
	if (t->setting.is_set && !t->setting.recorded) {
		return t->ended[after] + t->setting.fixed;
	}
	if (stated > 0 || !t->setting.recorded) {
		return t->ended[after] + stated;
	}
	uint64_t answered = t->answered[after];
	return t->ended[after] + (answered > 0 && arrived > answered ? arrived - answered : 0);
}
