#include "base/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

#define NAME_SHOWN 40

/* Whether the text looks like a variable's name, and not like a key that was given in its place. */
static bool is_usual_name(const char *text)
{
	size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return len > 0 && len <= NAME_SHOWN && !text[len] && !is_digit(text[0]);
}

static char *describe(const char *variable, const char *problem)
{
	return is_usual_name(variable)
	               ? xasprintf("the environment variable %s %s", variable, problem)
	               : xasprintf("the environment variable %s; its name is not shown, because it "
	                           "may be the key itself: give the name of a variable that has "
	                           "the key",
	                         problem);
}

char *environment_read(const char *variable, const char **ret)
{
	const char *value = getenv(variable);
	if (!value || !*value) {
		return describe(variable, value ? "is empty" : "is not set");
	}
	for (const char *p = value; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f) {
			return describe(variable, "has a control character, such as a line end");
		}
	}
	*ret = value;
	return NULL;
}
