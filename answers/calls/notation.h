#pragma once
/*
 * notation - arguments of calls as models write them that do not write JSON, made into JSON. Pure;
 * nesting is limited. Where a reader returns false, the cursor and what was appended are of no use.
 */
#include "answers/cursor.h"

/* NAME(key=value, ...) as in Python: appends {"key":value,...}. *ret_name is part of the text. */
bool notation_python_call(struct cursor *at, struct span *ret_name, struct buf *to);
/* {key:value,...} as Gemma writes it. */
struct gemma {
	const char *mark; /* stands on both sides of a text */
	bool typed;       /* such a text is what notation_put_value() makes of it */
};
bool notation_gemma_object(struct cursor *at, const struct gemma *g, struct buf *to);
/* Appends "key": to an object under way, after a comma if need be. */
void notation_put_key(struct buf *to, struct span key);
/* A value without quotation marks: as it is if it is JSON other than a string, else as a string. */
void notation_put_value(struct buf *to, struct span value);
