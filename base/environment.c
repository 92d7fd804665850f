#include "base/environment.h"

#include <stdlib.h>

#include "base/mem.h"

char *environment_read(const char *variable, const char **ret)
{
	const char *value = getenv(variable);
	if (!value || !*value) {
		return xasprintf("the environment variable %.64s is %s", variable,
		        value ? "empty" : "not set");
	}
	for (const char *p = value; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f) {
			return xasprintf("the environment variable %.64s has a control "
			                 "character, such as a line end",
			        variable);
		}
	}
	*ret = value;
	return NULL;
}
