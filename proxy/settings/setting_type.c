#include "proxy/settings/setting_type.h"

#include <stdlib.h>

#include "base/mem.h"

void setting_replace(char **text, const char *value)
{
	free(*text);
	*text = value ? xstrdup(value) : NULL;
}

void setting_fail(struct conf *y, const struct conf_node *n, char *problem)
{
	if (problem) {
		conf_fail(y, n, "%s", problem);
		free(problem);
	}
}

bool setting_is_list(struct conf *y, const struct conf_node *n, const char *what)
{
	if (n && conf_kind(n) != CONF_LIST) {
		conf_fail(y, n, "must be a list of %s, like [a, b]", what);
		return false;
	}
	if (n && conf_size(n) > SETTING_ITEMS_LIMIT) {
		conf_fail(y, n, "has more than %d entries", SETTING_ITEMS_LIMIT);
		return false;
	}
	return n != NULL;
}
