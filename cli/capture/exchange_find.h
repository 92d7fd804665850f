#pragma once
/*
 * exchange_find - finds the exchange that the user names.
 *
 * The user gives the beginning or end of its id (hex digits, with or without dashes), or
 *	last     the newest exchange
 *	worst    the exchange of the pair that analyze ranks worst
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

/* Separates the id from the directories, in any order; *ret_id points into argv, and *dirs keeps
 * the directories. Returns NULL, or a sentence that the caller frees. */
char *exchange_find_word(struct operands *dirs, const char **ret_id) MUST_CHECK;

/*
 * EXIT_PASS: *ret is filled and must be finished. Otherwise an exit code, and *ret_problem is a
 * sentence that the caller frees: not an id, no such exchange, or several, which are listed. Reads
 * the whole capture unless the id is complete.
 */
int exchange_find(struct capture *c, const char *text, struct capture_exchange *ret,
        char **ret_problem) MUST_CHECK;
