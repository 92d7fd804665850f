#pragma once
/*
 * setting - a row for each key of the configuration file, and the functions that work on rows. They
 * know no key: keys.c has the tables.
 *
 * Reading the file, flags and their --help, JSON output, a reload and freeing all use the rows. So
 * a new key needs only a member of struct settings and one row. A value that no kind covers has
 * functions of its own (struct setting_type).
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

enum setting_kind {
	SETTING_BOOL,
	SETTING_INTEGER,  /* from low to high */
	SETTING_BYTES,    /* from low to high */
	SETTING_DURATION, /* ns; in JSON seconds */
	SETTING_SHARE,    /* a double, 0 to 1 */
	SETTING_RATE,     /* a double, per second */
	SETTING_WORD,     /* a bool or an enum: low + the index of the word in `words` */
	SETTING_TEXT,     /* char *; NULL: the key is absent */
	SETTING_TEXTS,    /* struct texts */
	SETTING_MAP,      /* a map; `rows` has its members, which are in the same struct */
	SETTING_TYPE,     /* as `type` says */
};

struct setting {
	const char *key; /* NULL: the end of the table */
	enum setting_kind kind;
	size_t at, size;    /* offset and size of the member */
	uint64_t low, high; /* the least and the largest value */
	const char *const *words;
	/* Checks a text, or each text of a list (after white space at its ends was removed).
	 * NULL, but not for a list: any text is valid. */
	char *(*check)(const char *text);
	const char *what; /* what messages call the items of a list */
	const struct setting *rows;
	/* SETTING_MAP: the row of the member that is set if the file has a scalar in place of
	 * the map; or NULL */
	const struct setting *scalar;
	const struct setting_type *type;
	size_t given; /* offset of a bool that becomes true if the file has the key; 0: none */
	/* a reload can't change it; not for SETTING_TEXTS, nor for a map in a map */
	bool fixed;
	/* name of its option on the command line, or NULL; only for SETTING_INTEGER, _SHARE, _WORD
	 * and _TEXT, and for a type with parse() */
	const char *flag;
	/* name of the option's value, and what --help says of it; the default is added */
	const char *value, *help;
	/* True if the key has an effect, given the values of the keys before it; NULL: always.
	 * JSON leaves out keys without effect. */
	bool (*applies)(const void *s);
	/* the problem to report if the file has the key while applies() is false; NULL: that is
	 * no problem */
	const char *goes_with;
};

#define SETTING_AT(T, member) .at = offsetof(T, member), .size = sizeof(((T *)0)->member)

/* Reads the members of a map into the struct `to`. map NULL: there are none. Keys without a row
 * are left to conf_check_keys(). */
void setting_read(
        struct conf *y, const struct conf_node *map, const struct setting *rows, void *to);
/* Reads a value of this type into `to`. */
void setting_read_type(
        struct conf *y, const struct conf_node *n, const struct setting_type *type, void *to);
/* Appends the settings as members of the open JSON object. */
void setting_write(struct json_writer *w, const struct setting *rows, const void *from);
/* Appends the value of one row under this key; NULL: alone. */
void setting_write_value(
        struct json_writer *w, const char *key, const struct setting *row, const void *from);
void setting_finish(const struct setting *rows, void *s);
/* Sets the settings that a reload can't change to their values in `now`. Appends the keys of
 * those that differed to kept, separated by commas. */
void setting_keep(const struct setting *rows, void *s, const void *now, struct buf *kept);
/* Sets the value of the row that has this flag. A returned sentence also names the flag. */
char *setting_set_flag(
        const struct setting *rows, const char *flag, const char *value, void *s) MUST_CHECK;

/* Frees *text and replaces it with a copy of value, which may be NULL. */
void setting_replace(char **text, const char *value);
/* Reports the problem to y, unless it is NULL, and frees it. */
void setting_fail(struct conf *y, const struct conf_node *n, char *problem);
/* True if n is a list of at most SETTING_ITEMS_LIMIT items. False: it is absent, or it is not
 * such a list, which is reported to y. what: what the message calls the items. */
#define SETTING_ITEMS_LIMIT 256
bool setting_is_list(struct conf *y, const struct conf_node *n, const char *what) MUST_CHECK;
