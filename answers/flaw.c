#include "answers/flaw.h"

#include <stdio.h>

#include "base/check.h"
#include "answers/finish.h"

#define NAME_LIMIT 40 /* bytes of a finish reason that are shown */

enum flaw flaw_of_finish(const char *reason)
{
	enum finish f = finish_of(reason);
	return f == FINISH_ABORTED   ? FLAW_ABORTED
	       : f == FINISH_UNKNOWN ? FLAW_UNKNOWN_FINISH
	                             : FLAW_NONE;
}

enum flaw flaw_of_marks(uint32_t marks)
{
	static const struct {
		uint32_t mark;
		enum flaw flaw;
	} order[] = {
	        {READING_ERROR_BODY, FLAW_ERROR},
	        {READING_NOT_JSON, FLAW_MALFORMED},
	        {READING_EMPTY, FLAW_EMPTY},
	        {READING_ABORTED, FLAW_ABORTED},
	        {READING_CUT, FLAW_UNFINISHED},
	        {READING_UNKNOWN_FINISH, FLAW_UNKNOWN_FINISH},
	};
	/* The part of an answer that was not read may have had a finish reason. */
	if (marks & (READING_TOO_LARGE | READING_ENCODED | READING_NOT_READ)) {
		marks &= READING_ERROR_BODY;
	}
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (marks & order[i].mark) {
			return order[i].flaw;
		}
	}
	return FLAW_NONE;
}

/* The engine chose the finish reason. Only plain characters of it are shown. */
static void print_finish(const char *what, const char *finish, char to[FLAW_TEXT_SIZE])
{
	char name[NAME_LIMIT + 1];
	size_t n = 0;
	for (; finish[n] && n < NAME_LIMIT; n++) {
		bool plain = finish[n] >= ' ' && finish[n] <= '~' && finish[n] != '"';
		name[n] = plain ? finish[n] : '?';
	}
	name[n] = 0;
	snprintf(to, FLAW_TEXT_SIZE, "%s \"%s\"", what, name);
}

void flaw_print(enum flaw f, const char *finish, char to[FLAW_TEXT_SIZE])
{
	static const char *const words[] = {
	        [FLAW_NONE] = "none",
	        [FLAW_ERROR] = "an error in the answer",
	        [FLAW_MALFORMED] = "malformed JSON",
	        [FLAW_EMPTY] = "an empty answer",
	        [FLAW_ABORTED] = "aborted by the engine",
	        [FLAW_UNFINISHED] = "no finish reason",
	        [FLAW_UNKNOWN_FINISH] = "unknown finish reason",
	        [FLAW_OUTCOME] = "no answer",
	        [FLAW_STATUS] = "an error status",
	};
	expect((size_t)f < ARRAY_LEN(words));
	if (finish && f == FLAW_ABORTED) {
		print_finish("aborted by the engine: finish reason", finish, to);
	} else if (finish && f == FLAW_UNKNOWN_FINISH) {
		print_finish(words[f], finish, to);
	} else {
		snprintf(to, FLAW_TEXT_SIZE, "%s", words[f]);
	}
}
