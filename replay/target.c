#include "replay/target.h"

#include <string.h>

#include "base/mem.h"

char *target_path(const struct target *t, const char *as_sent, bool recast)
{
	static const char chat[] = "/chat/completions";
	size_t base = strlen(t->base_path);
	/* --to http://host/v1 and /v1/chat/completions mean one /v1. */
	bool twice = base > 0 && strncmp(as_sent, t->base_path, base) == 0 && as_sent[base] == '/';
	const char *under = twice ? "" : t->base_path;
	const char *at = recast ? strstr(as_sent, chat) : NULL;
	if (at) {
		return xasprintf("%s%.*s/completions%s", under, (int)(at - as_sent), as_sent,
		        at + sizeof(chat) - 1);
	}
	return xasprintf("%s%s", under, as_sent);
}
