#pragma once
/*
 * exchange_find - finds the exchange that the user names on a command line.
 *
 * The user gives the beginning or the end of its id (hex digits, with or without dashes), or one of
 * these words:
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

/* Removes the word that names an exchange from the operands; the directories stay. The word may
 * be at any place; *ret_id points into argv. Returns NULL, or a sentence that the caller frees. */
char *exchange_find_word(struct operands *dirs, const char **ret_id) MUST_CHECK;

/*
 * Returns EXIT_PASS and fills *ret, which the caller finishes. Otherwise returns an exit code, and
 * *ret_problem is a sentence that the caller frees: text is no id, no exchange has the id, or
 * several do (the sentence lists them). Reads the whole capture unless the id is complete.
 */
int exchange_find(struct capture *c, const char *text, struct capture_exchange *ret,
        char **ret_problem) MUST_CHECK;
