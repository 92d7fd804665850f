#include "base/verb_fail.h"

#include <stdio.h>
#include <stdlib.h>

int verb_fail(const char *command, int code, char *why)
{
	fprintf(stderr, "plumbline %s: %s\n", command, why);
	free(why);
	return code;
}

void verb_warn(const char *command, const char *const *sentences, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(stderr, "plumbline %s: %s\n", command, sentences[i]);
	}
}
