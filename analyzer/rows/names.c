#include "analyzer/rows/names.h"

#include <stdbool.h>

static bool is_printable(const char *s)
{
	for (; *s; s++) {
		if (*s < ' ' || *s > '~') {
			return false;
		}
	}
	return true;
}

const char *names_of_backend(const struct leg_row *leg)
{
	return leg->backend && is_printable(leg->backend) ? leg->backend : "(unnamed)";
}
