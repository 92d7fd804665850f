#include "replay/retry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"

#define FIRST_NS (SECOND_NS / 2)
#define VALUE_SIZE 64 /* longer than any date */

bool retry_applies(int status)
{
	return status == 429 || (status >= 502 && status <= 504);
}

static bool parse_seconds(const char *text, uint64_t *ret)
{
	char *end;
	if (*text < '0' || *text > '9') {
		return false;
	}
	unsigned long long n = strtoull(text, &end, 10);
	*ret = MIN((uint64_t)n, RETRY_AFTER_LIMIT / SECOND_NS) * SECOND_NS;
	return *end == '\0';
}

/* Parses "Sun, 06 Nov 1994 08:49:37 GMT", the only form that servers still write. */
static bool parse_date(const char *text, uint64_t wall_ns, uint64_t *ret)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (!end || *end != '\0') {
		return false;
	}
	time_t then = timegm(&tm), now = (time_t)(wall_ns / SECOND_NS);
	uint64_t seconds = then > now ? (uint64_t)(then - now) : 0;
	*ret = MIN(seconds, RETRY_AFTER_LIMIT / SECOND_NS) * SECOND_NS;
	return true;
}

static uint64_t asked_for(struct span after, uint64_t wall_ns)
{
	char text[VALUE_SIZE];
	uint64_t ns = 0;
	if (after.len == 0 || after.len >= sizeof(text)) {
		return 0;
	}
	memcpy(text, after.data, after.len);
	text[after.len] = '\0';
	return parse_seconds(text, &ns) || parse_date(text, wall_ns, &ns) ? ns : 0;
}

uint64_t retry_pause(unsigned before, struct span after, uint64_t wall_ns)
{
	expect(before < RETRY_LIMIT);
	uint64_t ours = MIN(FIRST_NS << before, RETRY_PAUSE_LIMIT);
	return MAX(ours, asked_for(after, wall_ns));
}
