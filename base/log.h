#pragma once
/*
 * log - prints one line for one event on standard error, as text or as JSON.
 *
 * The message is a sentence that names fields in braces. Both forms print the sentence with the
 * values in place of the names. In JSON each field is a member, too; as text, the fields that the
 * sentence does not name follow it as name=value.
 *
 *	log_warn("{backend} does not answer: {error}.", log_field("backend", name),
 *	        log_field("error", why), log_field("exchange", id));
 *
 * Each call site prints a sentence once in the period of log_set_repeat_after(), and counts the
 * repeats that it holds back. The next line with this sentence has that number. So an id or a
 * count, which would make each sentence different, must stay out of the sentence. Debug lines are
 * not held back. docs/operations.md lists the fields' names. Never log bodies or credentials. A
 * file that logs first defines LOG_MODULE, its name in the lines. Any thread.
 */
#include <stdatomic.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct log_field {
	const char *name; /* NULL ends a list */
	enum { LOG_TEXT, LOG_INTEGER, LOG_REAL } type;
	const char *text; /* NULL: unknown. Printed as "?" in the sentence, and not as a member */
	int64_t integer;
	double real;
};

/* different sentences that a call site prints in one period; it holds back all others */
#define LOG_SENTENCES 16

struct log_site {
	struct log_printed {
		uint64_t hash; /* hash of the sentence; 0: this place is unused */
		uint64_t at;   /* ns, clock_mono() */
		uint64_t held_back;
	} printed[LOG_SENTENCES];
};

void log_set_level(enum log_level level); /* default: INFO */
/* 1: JSON; 0: text; -1: JSON unless standard error is a terminal */
void log_set_json(int json); /* default: text */
#define LOG_REPEAT_AFTER (UINT64_C(60) * 1000000000)
void log_set_repeat_after(uint64_t ns); /* default: LOG_REPEAT_AFTER; 0: nothing is held back */

/* For LOG_AT() only: the level set. A line above it costs one comparison. */
extern atomic_int log_threshold;

/* For LOG_AT() only. fields: the sentence, its values, then two zeroed fields. The second ends
 * the list; log_write() may use the first one. */
void log_write(
        struct log_site *site, enum log_level level, const char *module, struct log_field *fields);

static inline struct log_field log_text(const char *name, const char *value)
{
	return (struct log_field){.name = name, .type = LOG_TEXT, .text = value};
}

static inline struct log_field log_integer(const char *name, int64_t value)
{
	return (struct log_field){.name = name, .type = LOG_INTEGER, .integer = value};
}

static inline struct log_field log_real(const char *name, double value)
{
	return (struct log_field){.name = name, .type = LOG_REAL, .real = value};
}

/* name: snake_case, a literal. value: a string, an integer or a double. */
#define log_field(name, value)                                                                     \
	_Generic((value), char *                                                                   \
	         : log_text, const char *                                                          \
	         : log_text, double                                                                \
	         : log_real, default                                                               \
	         : log_integer)(name, value)

#define LOG_AT(level, sentence, ...)                                                               \
	do {                                                                                       \
		static struct log_site log_site_;                                                  \
		if ((level) > log_threshold) {                                                     \
			break;                                                                     \
		}                                                                                  \
		struct log_field log_fields_[] = {                                                 \
		        log_text("message", (sentence)), ##__VA_ARGS__, {0}, {0}};                 \
		log_write(&log_site_, (level), LOG_MODULE, log_fields_);                           \
	} while (0)

#define log_error(...) LOG_AT(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) LOG_AT(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) LOG_AT(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) LOG_AT(LOG_LEVEL_DEBUG, __VA_ARGS__)
