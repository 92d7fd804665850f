#pragma once
/*
 * format_json - JSON values compared by their canonical form: the order of members and the spelling
 * of numbers and escapes count for nothing. Pure.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

bool format_json_is(struct span text); /* one JSON value, with white space around it at most */
/* A line begins an object or a list that is still open where the text ends. */
bool format_json_is_cut(struct span text);
/* Undecided: one is no JSON, or they differ only in texts of several words that may say the same. */
enum agreement format_json_agreement(struct span a, struct span b);
