#pragma once
/*
 * format_json - compares JSON values by their canonical form: the order of members and the spelling
 * of numbers and escapes do not count. Pure.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

/* true: one JSON value, with at most white space around it */
bool format_json_is(struct span text);
/* True if a line begins an object or a list that is still open at the end of the text. */
bool format_json_is_cut(struct span text);
/* Undecided: one is not JSON, or they differ only in texts of several words that may mean the
 * same. */
enum agreement format_json_agreement(struct span a, struct span b);
