#include "cli/progress_count.h"

#include <inttypes.h>

#include "base/clock.h"

void progress_count(struct progress_count *p, uint64_t n)
{
	/* Reading the clock is cheap, but not cheap enough to do for every row. */
	if (n % 256 == 0) {
		progress_count_now(p, n);
	}
}

void progress_count_now(struct progress_count *p, uint64_t n)
{
	uint64_t now = clock_mono();
	if (!p->begun_ns) {
		p->begun_ns = now;
		progress_begin(&p->progress);
	}
	if (now - p->begun_ns >= SECOND_NS && progress_is_due(&p->progress, now)) {
		progress_message(&p->progress, "%" PRIu64 " %s", n, p->what);
	}
}

void progress_count_end(struct progress_count *p)
{
	progress_clear(&p->progress);
}
