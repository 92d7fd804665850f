#pragma once
/*
 * exchange_find - finds the exchange that the user names on a command line:
 *
 *	an id    complete, or its beginning or end: four hex digits or more, with or without
 *	         dashes
 *	last     the newest exchange
 *	worst    the exchange whose pair of answers `plumbline analyze` ranks worst
 *	@3       number 3 of the list printed last for this capture (last_list.h)
 */
#include "capture/capture.h"
#include "base/options.h"

#define EXCHANGE_FIND_OPERANDS                                                                     \
	OPT_OPERAND("DIR", "a capture's directory; DIR and ID may change places"),                 \
	        OPT_OPERAND("ID",                                                                  \
	                "the beginning or the end of an exchange's id, as plumbline capture ls "   \
	                "prints it; last: the newest; worst: the pair that plumbline analyze "     \
	                "ranks worst; @3: number 3 of the last printed list")

/* Removes the operand that names an exchange, at any position, from *dirs, so that only directories
 * remain. *ret_id: that operand, in argv. Returns NULL, or a sentence. */
char *exchange_find_word(struct operands *dirs, const char **ret_id) MUST_CHECK;

/*
 * Finds the exchange that `text` names. Reads the whole capture, except for a complete id and @N.
 * Returns EXIT_PASS and fills *ret, which the caller finishes. Otherwise *ret_problem is a sentence
 * that the caller frees:
 *
 *	EXIT_USAGE       `text` is none of the above, or several exchanges have such an id; the
 *	                 sentence then lists up to ten of them, as @1, @2, …
 *	EXIT_NOT_ENOUGH  there is no such exchange
 */
int exchange_find(struct capture *c, const char *text, struct capture_exchange *ret,
        char **ret_problem) MUST_CHECK;
