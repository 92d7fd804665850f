/*
 * options - the values of options.
 */
#include "base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/conf.h"

char *options_number(
        const char *name, const char *value, uint64_t low, uint64_t high, uint64_t *ret)
{
	char *end;
	errno = 0;
	uint64_t n = strtoull(value, &end, 10);
	bool is_number = !errno && *value >= '0' && *value <= '9' && !*end;
	if (is_number && n >= low && n <= high) {
		*ret = n;
		return NULL;
	}
	if (high == UINT64_MAX) {
		return low ? xasprintf("--%s needs a number of at least %" PRIu64 ", not %.60s",
		                     name, low, value)
		           : xasprintf("--%s needs a number, not %.60s", name, value);
	}
	return xasprintf("--%s needs a number from %" PRIu64 " to %" PRIu64 ", not %.60s", name,
	        low, high, value);
}

/* Whether the last number already occurs before. */
static bool is_twice(const unsigned *numbers, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (numbers[i] == numbers[n - 1]) {
			return true;
		}
	}
	return false;
}

char *options_numbers(const char *name, const char *value, uint64_t low, uint64_t high,
        unsigned *ret, size_t room, size_t *ret_n)
{
	char *list = xstrdup(value), *rest = list, *problem = NULL;
	*ret_n = 0;
	for (char *p; !problem && (p = conf_next_word(&rest));) {
		uint64_t n = 0;
		problem = *p ? options_number(name, p, low, high, &n)
		             : xasprintf("--%s lacks a number in %.60s", name, value);
		if (!problem && *ret_n == room) {
			problem = xasprintf("--%s takes at most %zu numbers", name, room);
		} else if (!problem) {
			ret[(*ret_n)++] = (unsigned)n;
			if (is_twice(ret, *ret_n)) {
				problem = xasprintf("--%s has %u twice", name, (unsigned)n);
			}
		}
	}
	free(list);
	return problem;
}

char *options_speed(const char *name, const char *value, double *ret)
{
	size_t len = strlen(value), digits = len - (len > 0 && value[len - 1] == 'x');
	char *number = span_dup((struct span){value, digits});
	double speed;
	bool good = conf_parse_decimal(number, &speed) && speed >= 0.001 && speed <= 1e6;
	free(number);
	if (!good) {
		return xasprintf("--%s needs a factor (2x), not %.60s", name, value);
	}
	*ret = speed;
	return NULL;
}

char *options_share(const char *name, const char *value, double *ret)
{
	return conf_parse_share(value, ret)
	               ? NULL
	               : xasprintf("--%s needs a share (5%%), not %.60s", name, value);
}

char *options_word(const char *name, const char *value, const char *const *words, int *ret)
{
	struct buf list = {0};
	int found = -1;
	for (int i = 0; words[i] && found < 0; i++) {
		found = strcmp(words[i], value) == 0 ? i : -1;
		buf_printf(&list, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	char *problem = NULL;
	if (found < 0) {
		problem = xasprintf("--%s is %s, not %.60s", name, buf_cstr(&list), value);
	} else {
		*ret = found;
	}
	buf_finish(&list);
	return problem;
}
