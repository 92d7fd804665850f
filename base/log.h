#pragma once
/*
 * log - one line for one event, on standard error.
 *
 * Text on a terminal, JSON otherwise. A module says LOG_MODULE before it includes this header. The
 * message is one sentence; facts follow as key=value. Never bodies, never credentials. Each call
 * site prints at most 10 lines in 10 seconds and then says how many it held back. Any thread.
 */
#include <stdint.h>

#include "base/check.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct log_site {
	uint64_t window; /* second in which the current window began */
	uint32_t printed;
	uint32_t held;
};

void log_set_level(enum log_level level); /* INFO unless told otherwise */
/* 1: JSON; 0: text; -1: JSON unless standard error is a terminal */
void log_set_json(int json);
void log_write(struct log_site *site, enum log_level level, const char *module, const char *format,
        ...) PRINTF(4, 5);

#define LOG_AT(level, ...)                                                                         \
	do {                                                                                       \
		static struct log_site log_site_;                                                  \
		log_write(&log_site_, (level), LOG_MODULE, __VA_ARGS__);                           \
	} while (0)

#define log_error(...) LOG_AT(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) LOG_AT(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) LOG_AT(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) LOG_AT(LOG_LEVEL_DEBUG, __VA_ARGS__)
