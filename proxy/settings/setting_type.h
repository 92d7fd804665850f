#pragma once
/*
 * setting_type - a type of values in the configuration file: how a value is read, written as JSON,
 * freed, and kept at a reload.
 *
 * Functions that return a char * return NULL, or a sentence about a problem, which the caller
 * frees. The sentence does not name the key or the line; the caller adds them in front. It shows a
 * URL only as base_url_mask() does. One thread.
 */
#include "base/conf.h"
#include "base/json_writer.h"

/* Functions for values of one type. `to`, `from`, `at` and `now` point to the member. */
struct setting_type {
	/* Parses a scalar from the file or a flag, and replaces the old value. line: line of the
	 * file; 0: the value is from a flag. */
	char *(*parse)(const char *text, int line, void *to);
	/* Reads a value that may be a map or a list; reports problems to y. NULL: parse() is
	 * enough. */
	void (*read)(struct conf *y, const struct conf_node *n, void *to);
	void (*write)(struct json_writer *w, const char *key, const void *from);
	void (*finish)(void *at); /* NULL: there is nothing to free */
	/* For keys that a reload can't change: sets *to to the value of *now. Returns false if
	 * they were equal already. */
	bool (*keep)(void *to, const void *now);
};

/* Frees *text and replaces it with a copy of value, which may be NULL. */
void setting_replace(char **text, const char *value);
/* Reports the problem to y, unless it is NULL, and frees it. */
void setting_fail(struct conf *y, const struct conf_node *n, char *problem);
/* True if n is a list of at most SETTING_ITEMS_LIMIT items. False: it is absent, or it is not
 * such a list, which is reported to y. what: what the message calls the items. */
#define SETTING_ITEMS_LIMIT 256
bool setting_is_list(struct conf *y, const struct conf_node *n, const char *what) MUST_CHECK;
