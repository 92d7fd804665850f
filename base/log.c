#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

#define WINDOW_SECONDS 10
#define WINDOW_LINES 10

static const char *const LEVELS[] = {"error", "warn", "info", "debug"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(enum log_level) threshold = LOG_LEVEL_INFO;
static atomic_int want_json = -1;

void log_set_level(enum log_level level)
{
	threshold = level;
}

void log_set_json(int json)
{
	want_json = json;
}

static void append_json_text(struct buf *line, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\') {
			buf_printf(line, "\\%c", c);
		} else if (c < 0x20) {
			buf_printf(line, "\\u%04x", c);
		} else {
			buf_append_char(line, *s);
		}
	}
}

/* Text from a peer must not begin a log line or control the terminal. */
static void append_plain_text(struct buf *line, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		buf_append_char(line, c < 0x20 || c == 0x7f ? '?' : *s);
	}
}

static void format_line(
        struct buf *line, enum log_level level, const char *module, const char *text)
{
	uint64_t now = clock_wall();
	time_t seconds = (time_t)(now / 1000000000u);
	unsigned ms = (unsigned)(now / 1000000u % 1000u);
	struct tm t;
	char stamp[32];

	if (want_json < 0) {
		want_json = !isatty(STDERR_FILENO);
	}
	if (want_json) {
		gmtime_r(&seconds, &t);
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &t);
		buf_printf(line,
		        "{\"time\":\"%s.%03uZ\",\"level\":\"%s\",\"module\":\"%s\",\"message\":\"",
		        stamp, ms, LEVELS[level], module);
		append_json_text(line, text);
		buf_append_str(line, "\"}\n");
	} else {
		localtime_r(&seconds, &t);
		strftime(stamp, sizeof(stamp), "%H:%M:%S", &t);
		buf_printf(line, "%s.%03u %s %s: ", stamp, ms, LEVELS[level], module);
		append_plain_text(line, text);
		buf_append_char(line, '\n');
	}
}

/* True if the call site may print; *ret_held: how many lines it suppressed in the previous
 * window. */
static bool admit(struct log_site *site, uint32_t *ret_held)
{
	uint64_t now = clock_mono() / 1000000000u;
	*ret_held = 0;
	if (now - site->window >= WINDOW_SECONDS) {
		*ret_held = site->held;
		*site = (struct log_site){.window = now};
	}
	if (site->printed == WINDOW_LINES) {
		site->held++;
		return false;
	}
	site->printed++;
	return true;
}

void log_write(
        struct log_site *site, enum log_level level, const char *module, const char *format, ...)
{
	if (level > threshold) {
		return;
	}
	struct buf text = {0}, line = {0};
	va_list args;
	va_start(args, format);
	char *message = NULL;
	int n = vasprintf(&message, format, args);
	va_end(args);
	if (n < 0) {
		return;
	}
	buf_append_str(&text, message);
	free(message);

	pthread_mutex_lock(&lock);
	uint32_t held;
	if (admit(site, &held)) {
		if (held) {
			buf_printf(&text, " held_back=%u", held);
		}
		format_line(&line, level, module, buf_cstr(&text));
		ssize_t unused = write(STDERR_FILENO, line.data, line.len);
		(void)unused;
	}
	pthread_mutex_unlock(&lock);
	buf_finish(&text);
	buf_finish(&line);
}
