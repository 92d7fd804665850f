#pragma once
/*
 * setting - one row for each key of the configuration file, and what can be done by these rows.
 *
 * keys.c has the tables. Reading the file, flags, JSON, a reload and freeing all follow them: a
 * new key is a member of struct settings and one row. A type of value that no kind covers brings
 * its own functions (struct setting_type).
 *
 * A problem is a sentence on the heap without its place, which the caller puts before it; NULL:
 * there is none. Of a URL it quotes no more than base_url_mask() leaves. One thread.
 */
#include "base/conf.h"
#include "proxy/settings/json_out.h"
#include "proxy/settings/settings.h"

enum setting_kind {
	SETTING_BOOL,
	SETTING_INTEGER,  /* from low to high */
	SETTING_BYTES,    /* from low to high */
	SETTING_DURATION, /* ns */
	SETTING_SHARE,    /* a double, 0 to 1 */
	SETTING_RATE,     /* a double, per second */
	SETTING_WORD,     /* low + the index in words: a bool or an enum */
	SETTING_TEXT,     /* char *, NULL: absent */
	SETTING_TEXTS,    /* struct texts */
	SETTING_MAP,      /* rows of its members, which lie in the same struct */
	SETTING_TYPE,     /* as `type` says */
};

/* The functions get the address of the member. */
struct setting_type {
	/* A scalar, also of a flag. line: of the file; 0: a flag gave it. Replaces what was
	 * there. */
	char *(*parse)(const char *text, int line, void *to);
	/* What is not always a scalar; problems go to y. NULL where parse is enough. */
	void (*read)(struct conf *y, const struct conf_node *n, void *to);
	void (*write)(struct json_out *o, const char *key, const void *from);
	void (*finish)(void *at); /* NULL: there is nothing to free */
	/* Of keys that a reload can't change: becomes what `now` is. False: it was that already. */
	bool (*keep)(void *to, const void *now);
};

struct setting {
	const char *key; /* NULL: the end of the table */
	enum setting_kind kind;
	size_t at, size;
	uint64_t low, high;
	const char *const *words;
	/* Of a text, or of one of a list. The latter come without the space around them. */
	char *(*check)(const char *text);
	const char *what; /* a list's items are, as problems call them */
	const struct setting *rows;
	const struct setting
	        *scalar; /* of a map: the row that a scalar in its place is for; or NULL */
	const struct setting_type *type;
	size_t given;     /* of a bool that is set if the key is there; 0: none */
	bool fixed;       /* a reload can't change it */
	const char *flag; /* the command line's name of it, or NULL */
	/* Whether it is in force, by the keys before it; NULL: always. JSON leaves out what is
	 * not. */
	bool (*applies)(const void *s);
	const char *goes_with; /* then the file must not have it: the problem; NULL: it may */
};

#define SETTING_AT(T, member) .at = offsetof(T, member), .size = sizeof(((T *)0)->member)

/* Reads the members of a map (NULL: there are none). Keys without a row are left to
 * conf_check_keys(). */
void setting_read(
        struct conf *y, const struct conf_node *map, const struct setting *rows, void *to);
/* Appends them as members of the object under way. */
void setting_write(struct json_out *o, const struct setting *rows, const void *from);
void setting_finish(const struct setting *rows, void *s);
/* Fixed ones that differ become those of `now`; their keys are appended to kept, with commas. */
void setting_keep(const struct setting *rows, void *s, const void *now, struct buf *kept);
/* flag: of a row. The problem names it. */
char *setting_set_flag(
        const struct setting *rows, const char *flag, const char *value, void *s) MUST_CHECK;

/* For types. Frees the old, copies the new (may be NULL). */
void setting_replace(char **text, const char *value);
/* False: n is absent, or no list of `what` with at most SETTING_ITEMS_LIMIT items. */
#define SETTING_ITEMS_LIMIT 256
bool setting_is_list(struct conf *y, const struct conf_node *n, const char *what);
