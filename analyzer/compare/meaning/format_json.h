#pragma once
/*
 * format_json - compares JSON values by their canonical form: the order of members and the spelling
 * of numbers and escapes do not count. Pure.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

/* True for one JSON value with nothing but white space around it. */
bool format_json_is(struct span text);
/* True if a line begins an object or a list that is still open at the end of the text. */
bool format_json_is_cut(struct span text);
/* AGREE_UNDECIDED: a text is not JSON, or the values differ only in strings of several words, which
 * may mean the same. */
enum agreement format_json_agreement(struct span a, struct span b);
