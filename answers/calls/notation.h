#pragma once
/*
 * notation - converts the arguments of calls from other syntaxes (Python's, Gemma's) to JSON. Pure;
 * nesting is limited. If a function returns false, the cursor and the appended text are undefined.
 */
#include "answers/cursor.h"

/* Reads NAME(key=value, ...) as in Python and appends {"key":value,...}. *ret_name points into
 * the text. */
bool notation_python_call(struct cursor *at, struct span *ret_name, struct buf *to);
/* How a model family writes Gemma's syntax. */
struct gemma {
	const char *mark; /* the mark at both ends of a string */
	bool typed;       /* a string between marks is converted by notation_put_value() */
};
/* Reads {key:value,...} in Gemma's syntax and appends JSON. */
bool notation_gemma_object(struct cursor *at, const struct gemma *g, struct buf *to);
/* Appends "key": to an open object, after a comma if necessary. */
void notation_put_key(struct buf *to, struct span key);
/* Appends an unquoted value: unchanged if it is JSON other than a string, else as a string. */
void notation_put_value(struct buf *to, struct span value);
