#pragma once
/*
 * options - the command line of a verb (a command, such as "capture ls"), described by a table with
 * a row for each option.
 *
 * options_parse() fills a struct from the rows; options_help() prints --help; the man pages and
 * completions of packaging/ are made from --help.
 *
 *	static const struct option_row OPTIONS[] = {
 *		OPT_OPERAND("DIR", "a capture's directory"),
 *		{"limit", 'n', "N", "list N exchanges", OPT_NUMBER(struct ls, limit, 1, 100)},
 *		{"json", 0, NULL, "print JSON", OPT_BOOL(struct ls, json)},
 *		OPT_GROUP("which exchanges:"),
 *		OPT_INCLUDE(FILTER_OPTIONS, struct ls, filter),
 *		OPT_END,
 *	};
 *
 * Options may come before, between and after operands; everything after "--" is an operand. A long
 * name may be abbreviated if it stays unambiguous. Values are written as --name VALUE,
 * --name=VALUE, -n VALUE or -nVALUE. Only options of OPT_BOOL, OPT_SET, OPT_CALL and OPT_KEEP may
 * be repeated. --help and -h need no row.
 *
 * An error is a sentence without the command's name.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"

/* Reads a value of a special kind. to: the row's member, or the whole struct (OPT_CALL_ALL). value:
 * lives as long as argv; NULL if the option takes none. */
typedef char *(*option_fn)(void *to, const char *name, const char *value);

enum option_kind {
	/* no option: the row is an operand, a heading, or includes another table */
	OPTION_KIND_NONE,
	OPTION_KIND_SET,
	OPTION_KIND_TEXT,
	OPTION_KIND_NUMBER,
	OPTION_KIND_DURATION,
	OPTION_KIND_SIZE,
	OPTION_KIND_SHARE,
	OPTION_KIND_SPEED,
	OPTION_KIND_WORD,
	OPTION_KIND_CALL,
	OPTION_KIND_KEEP, /* includes another table, whose options are kept as text */
};

struct option_row {
	const char *name;  /* without its dashes; NULL: the row is no option */
	char letter;       /* 0: none */
	const char *value; /* name of the option's value in --help; NULL: the option takes none */
	const char *help;
	enum option_kind kind;
	size_t at, size; /* offset and size of the member, bytes */
	/* Number or duration: the least value. SET: the value to write. WORD: the number of the
	 * first word. */
	uint64_t low;
	uint64_t high; /* a number: the greatest value */
	const char *const *words;
	option_fn read;
	const struct option_row *rows; /* rows of another table, whose struct is at offset `at` */
	const struct option_row *(*make)(void); /* returns these rows, if they are no constant */
};

/* Offset and size of a member; the compiler refuses a member of another type. */
#define OPT_AT(T, member, type)                                                                    \
	.at = offsetof(T, member) + 0 * sizeof((type *)0 == &((T *)0)->member),                    \
	.size = sizeof(((T *)0)->member)

/* Each of the following macros names the member that an option sets. If the option is not given,
 * the member keeps its value. */
#define OPT_BOOL(T, member) .kind = OPTION_KIND_SET, OPT_AT(T, member, bool), .low = true
/* Sets a bool, an integer or an enum to the constant n. */
#define OPT_SET(T, member, n)                                                                      \
	.kind = OPTION_KIND_SET, .at = offsetof(T, member), .size = sizeof(((T *)0)->member),      \
	.low = (n)
/* Stores the value, which lives as long as argv. */
#define OPT_TEXT(T, member) .kind = OPTION_KIND_TEXT, OPT_AT(T, member, const char *)
/* An integer of 4 or 8 bytes, from lowest to highest. */
#define OPT_NUMBER(T, member, lowest, highest)                                                     \
	.kind = OPTION_KIND_NUMBER, .at = offsetof(T, member), .size = sizeof(((T *)0)->member),   \
	.low = (lowest), .high = (highest)
/* A duration in nanoseconds, at least `lowest`. */
#define OPT_DURATION(T, member, lowest)                                                            \
	.kind = OPTION_KIND_DURATION, OPT_AT(T, member, uint64_t), .low = (lowest)
/* Bytes. */
#define OPT_SIZE(T, member) .kind = OPTION_KIND_SIZE, OPT_AT(T, member, uint64_t)
/* A share from 0 to 1; the user may write it as a percentage. */
#define OPT_SHARE(T, member) .kind = OPTION_KIND_SHARE, OPT_AT(T, member, double)
/* A factor from 0.001 to 1,000,000, written 2x or 2. */
#define OPT_SPEED(T, member) .kind = OPTION_KIND_SPEED, OPT_AT(T, member, double)
/* Stores the index of the word in a NULL-terminated list, in a bool, an integer or an enum. */
#define OPT_WORD(T, member, list)                                                                  \
	.kind = OPTION_KIND_WORD, .at = offsetof(T, member), .size = sizeof(((T *)0)->member),     \
	.words = (list)
/* As OPT_WORD; the first word has the number `first`. */
#define OPT_WORD_FROM(T, member, list, first) OPT_WORD(T, member, list), .low = (first)
/* Calls fn with the member. */
#define OPT_CALL(T, member, fn) .kind = OPTION_KIND_CALL, .at = offsetof(T, member), .read = (fn)
/* Calls fn with the whole struct. */
#define OPT_CALL_ALL(fn) .kind = OPTION_KIND_CALL, .read = (fn)

/* Only for --help: an operand, and a heading. */
#define OPT_OPERAND(word, text)                                                                    \
	{                                                                                          \
		.value = (word), .help = (text)                                                    \
	}
#define OPT_GROUP(heading)                                                                         \
	{                                                                                          \
		.help = (heading)                                                                  \
	}
/* Includes the rows of another table, whose struct is the member. */
#define OPT_INCLUDE(table, T, member)                                                              \
	{                                                                                          \
		.rows = (table), .help = "", .at = offsetof(T, member)                             \
	}
/* Includes the rows of another table for the same struct. */
#define OPT_INCLUDE_SAME(table)                                                                    \
	{                                                                                          \
		.rows = (table), .help = ""                                                        \
	}
/* Includes the table that make() returns, but keeps its options as text, for options_set(). The
 * member is a struct option_values. */
#define OPT_KEEP(makes, T, member)                                                                 \
	{                                                                                          \
		.kind = OPTION_KIND_KEEP, .make = (makes), .help = "", .at = offsetof(T, member)   \
	}
#define OPT_END                                                                                    \
	{                                                                                          \
		.help = NULL                                                                       \
	}

struct option_value {
	const char *name, *value; /* value: NULL if the option takes none */
};

/* in the order of the command line; the caller frees items */
struct option_values {
	struct option_value *items;
	size_t n;
};

#define OPTIONS_LIMIT 96 /* the most options of a verb */

struct operands {
	/* the words that are not options, in order; the array is a part of argv */
	const char **words;
	size_t n;
	bool help;                        /* --help was found; nothing after it was read */
	const char *given[OPTIONS_LIMIT]; /* names of the given options, each once */
	size_t n_given;
};

/* A verb's table, and the other parts of its --help. */
struct verb {
	const char *name;  /* "capture ls" */
	const char *usage; /* what follows the name; one line for each form */
	const char *about; /* what the verb does; an empty line separates paragraphs */
	const struct option_row *options;
	/* Prints more after the options, for a verb that has a list of its own, such as formats;
	 * or NULL. */
	void (*list)(FILE *to);
	const char *notes;      /* printed after the list, in the form of about; or NULL */
	const char *examples;   /* command lines, one a line */
	const char *exit_codes; /* "0 listed, 2 command line" */
};

/* Fills *to, the struct that the rows describe. Reorders argv. */
char *options_parse(const struct option_row *rows, int argc, char **argv, void *to,
        struct operands *ret) MUST_CHECK;
/* Sets the member of one option in *to. The option's name must not be abbreviated. */
char *options_set(const struct option_row *rows, void *to, const struct option_value *v) MUST_CHECK;
/* True if the option was given. name: that of its row. */
bool options_given(const struct operands *o, const char *name);

/* Prints the whole help, 80 columns wide: usage, options, examples and exit codes. */
void options_help(const struct verb *v, FILE *to);
/* Prints a line in the form of an option's line in --help: a word, and what it means. */
void options_help_line(FILE *to, const char *word, const char *help);

/* The following functions read the value of the option --name. They write *ret on success only. */
char *options_number(
        const char *name, const char *value, uint64_t low, uint64_t high, uint64_t *ret) MUST_CHECK;
/* A list such as "1,2,4": from 1 to room different numbers. *ret_n is written in any case. */
char *options_numbers(const char *name, const char *value, uint64_t low, uint64_t high,
        unsigned *ret, size_t room, size_t *ret_n) MUST_CHECK;
/* "2x", or a number alone. */
char *options_speed(const char *name, const char *value, double *ret) MUST_CHECK;
char *options_share(const char *name, const char *value, double *ret) MUST_CHECK;
/* The index of the value in a NULL-terminated list of words. */
char *options_word(
        const char *name, const char *value, const char *const *words, int *ret) MUST_CHECK;
