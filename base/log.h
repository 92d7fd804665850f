#pragma once
/*
 * log - one line for one event, on standard error: text on a terminal, else JSON.
 *
 * The message is a sentence that names its fields in braces. Both forms have the sentence with the
 * values in place. JSON has each field as a member, too; text appends the fields that the sentence
 * does not name as name=value.
 *
 *	log_warn("{backend} does not answer: {error}.", log_field("backend", name),
 *	        log_field("error", why), log_field("exchange", id));
 *
 * A field that keeps equal events from having equal sentences (an id, a count) stays out of the
 * sentence: a call site prints a sentence once in the period of log_set_repeat_after(). The next
 * line with this sentence has the number of those held back. Debug lines are not held back.
 * docs/operations.md lists the names. Never bodies, never credentials. Any thread.
 */
#include <stdatomic.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct log_field {
	const char *name; /* NULL ends a list */
	enum { LOG_TEXT, LOG_INTEGER, LOG_REAL } type;
	const char *text; /* NULL: unknown; "?" in the sentence, and no member */
	int64_t integer;
	double real;
};

#define LOG_SENTENCES 16 /* different ones that a call site prints in one period; no others */

struct log_site {
	struct log_printed {
		uint64_t hash; /* of the sentence; 0: unused */
		uint64_t at;   /* ns, clock_mono() */
		uint64_t held_back;
	} printed[LOG_SENTENCES];
};

void log_set_level(enum log_level level); /* INFO unless told otherwise */
/* 1: JSON; 0: text; -1: JSON unless standard error is a terminal */
void log_set_json(int json);
#define LOG_REPEAT_AFTER (UINT64_C(60) * 1000000000)
void log_set_repeat_after(uint64_t ns); /* LOG_REPEAT_AFTER unless told otherwise; 0: always */

/* For LOG_AT() only: a line of a higher level costs one comparison. */
extern atomic_int log_threshold;

/* fields: first the sentence, then its values, then two that are zero. log_write() may use the
 * first of these two. */
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
