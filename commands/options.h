#pragma once
/*
 * options - a command line, read in one way for every command.
 *
 * A command has a table for getopt_long and one function that takes a flag; or, where a flag does nothing but set a
 * variable, a table of slots alone. Flags may stand before, between and behind the operands, and a long one may be cut
 * short as long as no other begins so. A problem is a sentence without the command's name, on the heap; NULL is none. One
 * thread, since getopt is.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* flag: its val in the table. value: lives as long as argv; NULL of a flag that has none. */
typedef char *(*options_take_fn)(void *arg, int flag, const char *value);

struct operands {
	const char **words; /* what is no flag, in order; points into argv */
	size_t n;
	bool help; /* a flag with val 'h' was met: nothing behind it was read */
};

/* flags: ends in zeros; a val below 256 is the flag's letter too. Reorders argv. */
char *options_read(int argc, char **argv, const struct option *flags, options_take_fn take,
        void *arg, struct operands *ret) MUST_CHECK;

/* A value that no kind of slot is for. name: the flag's, value: lives as long as argv. */
typedef char *(*options_own_fn)(void *arg, const char *name, const char *value);

/* A flag and the variable that it sets: exactly one of the pointers says which, and what kind of value is wanted. */
struct option_slot {
	const char *name;
	bool *on;           /* no value: it becomes true */
	const char **text;  /* lives as long as argv */
	uint64_t *number;   /* from low to high */
	uint64_t low, high; /* high 0: no limit */
	uint64_t *duration; /* nanoseconds; "0" is one */
	uint64_t *bytes;
	double *share;
	const char *const *words; /* with word: the index of one of this NULL-terminated list */
	int *word;
	options_own_fn own; /* with arg; a problem as options_take_fn has it */
	void *arg;
	char letter; /* 0: it has none */
};

/* slots: ends in zeros; --help and -h are there besides. Variables of flags that are not given stay. */
char *options_fill(
        int argc, char **argv, const struct option_slot *slots, struct operands *ret) MUST_CHECK;

/* Values of --name; *ret is written on success only. */
char *options_number(
        const char *name, const char *value, uint64_t low, uint64_t high, uint64_t *ret) MUST_CHECK;
/* "1,2,4": at most room of them, at least one, none twice. *ret_n is written in any case. */
char *options_numbers(const char *name, const char *value, uint64_t low, uint64_t high,
        unsigned *ret, size_t room, size_t *ret_n) MUST_CHECK;
char *options_duration(const char *name, const char *value, uint64_t *ret_ns) MUST_CHECK;
/* "2x", or a number alone. */
char *options_speed(const char *name, const char *value, double *ret) MUST_CHECK;
char *options_share(const char *name, const char *value, double *ret) MUST_CHECK;
/* One of a NULL-terminated list of words: its index. */
char *options_word(
        const char *name, const char *value, const char *const *words, int *ret) MUST_CHECK;
