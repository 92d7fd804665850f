#include "base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"

#define TERMINAL_NS (SECOND_NS / 4)
#define LINE_NS (10 * SECOND_NS)
#define MARK_NS (5 * SECOND_NS) /* a rate is measured over this time or up to twice as long */
#define BAR_WIDTH 20

void progress_begin(struct progress *p)
{
	bool terminal = isatty(STDERR_FILENO);
	*p = (struct progress){
	        .terminal = terminal,
	        .shown = clock_mono(),
	        .every = terminal ? TERMINAL_NS : LINE_NS,
	        .width = terminal ? terminal_width(STDERR_FILENO) - 1 : SIZE_MAX,
	};
	progress_restart(p, p->shown, 0);
}

void progress_restart(struct progress *p, uint64_t now, uint64_t done)
{
	p->marks[0] = p->marks[1] = (struct progress_mark){now, done};
}

double progress_rate(struct progress *p, uint64_t done, uint64_t now)
{
	struct progress_mark *older = &p->marks[0], *newer = &p->marks[1];
	if (now - newer->at >= MARK_NS) {
		*older = *newer;
		*newer = (struct progress_mark){now, done};
	}
	return now > older->at && done > older->done
	               ? (double)(done - older->done) /
	                         ((double)(now - older->at) / (double)SECOND_NS)
	               : 0;
}

bool progress_is_due(struct progress *p, uint64_t now)
{
	bool due = now - p->shown >= p->every;
	p->shown = due ? now : p->shown;
	return due;
}

static void put_bar(struct buf *to, double share)
{
	size_t filled = (size_t)(share * BAR_WIDTH);
	buf_append_char(to, '[');
	for (size_t i = 0; i < BAR_WIDTH; i++) {
		buf_append_char(to, i < filled ? '#' : '-');
	}
	buf_append_str(to, "] ");
}

static void add_time(struct progress *p, double seconds)
{
	if (seconds < 100) {
		progress_add(p, "%.0f s left", ceil(seconds));
	} else if (seconds < 6000) {
		progress_add(p, "%.0f min left", ceil(seconds / 60));
	} else {
		progress_add(p, "%.1f h left", seconds / 3600);
	}
}

void progress_line(struct progress *p, const char *name, uint64_t done, uint64_t total, double rate)
{
	double share = total > 0 ? fmin((double)done / (double)total, 1) : 1;
	p->line.len = 0;
	buf_printf(&p->line, "%.20s%s", name ? name : "", name ? " " : "");
	if (p->terminal) {
		put_bar(&p->line, share);
	}
	buf_printf(&p->line, "%.0f %%", floor(100 * share));
	progress_add(p, "%" PRIu64 " of %" PRIu64, done, total);
	progress_add(p, "%.*f/s", rate < 10 ? 1 : 0, rate);
	if (rate > 0 && total > done) {
		add_time(p, (double)(total - done) / rate);
	}
}

void progress_add(struct progress *p, const char *format, ...)
{
	size_t before = p->line.len;
	va_list args;
	va_start(args, format);
	buf_append_str(&p->line, ", ");
	buf_vprintf(&p->line, format, args);
	va_end(args);
	if (p->line.len > p->width) {
		p->line.len = before;
	}
}

void progress_show(struct progress *p)
{
	fprintf(stderr, "%s%.*s%s", p->terminal ? "\r\033[K" : "", (int)p->line.len,
	        buf_cstr(&p->line), p->terminal ? "" : "\n");
	fflush(stderr);
	p->drawn = p->terminal;
}

void progress_message(struct progress *p, const char *format, ...)
{
	if (p->terminal) {
		va_list args;
		va_start(args, format);
		buf_clear(&p->line);
		buf_vprintf(&p->line, format, args);
		va_end(args);
		p->line.len = MIN(p->line.len, p->width);
		progress_show(p);
	}
}

void progress_clear(struct progress *p)
{
	fputs(p->drawn ? "\r\033[K" : "", stderr);
	p->drawn = false;
	buf_finish(&p->line);
}
