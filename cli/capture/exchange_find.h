#pragma once
/*
 * exchange_find - the one exchange that a user means.
 *
 * By the beginning or the end of its id (hex digits, with dashes or without), or as
 *   last     the newest
 *   worst    of the pair of answers that analyze ranks as the worst
 *   @3       the third of the list that was printed last for this capture (see last_list.h)
 */
#include "capture/capture.h"
#include "base/options.h"

#define EXCHANGE_FIND_OPERANDS                                                                     \
	OPT_OPERAND("DIR", "a capture's directory; DIR and ID may change places"),                 \
	        OPT_OPERAND("ID",                                                                  \
	                "the beginning or the end of an exchange's id, as plumbline capture ls "   \
	                "prints it; last: the newest; worst: the pair that plumbline analyze "     \
	                "ranks worst; @3: number 3 of the last printed list")

/* Tells the id from the directories, in whatever order they stand; *ret_id points into argv, and
 * *dirs is left with the directories. NULL, or a sentence that the caller frees. */
char *exchange_find_word(struct operands *dirs, const char **ret_id) MUST_CHECK;

/*
 * EXIT_PASS: *ret is filled, finish it. Else an exit code, and *ret_problem is a sentence (the
 * caller frees it): no id, no such exchange, or several, which are then listed. Reads the whole
 * capture, except of a whole id.
 */
int exchange_find(struct capture *c, const char *text, struct capture_exchange *ret,
        char **ret_problem) MUST_CHECK;
