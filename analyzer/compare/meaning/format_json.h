#pragma once
/*
 * format_json - compares JSON values by their canonical form: the order of members and the spelling
 * of numbers and escapes do not count. Pure.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

/* True for one JSON value with nothing but white space around it. */
bool format_json_is(struct span text);
/* True if the text ends before the end of a JSON object or list. Looks only at the first one that
 * begins a line (after white space) and is not empty: after { comes a quote, or after [ a string,
 * object, list or number, which need not be complete. */
bool format_json_is_cut(struct span text);
/* Compares two JSON values.
 *
 *	AGREE_SAME       equal canonical forms
 *	AGREE_UNDECIDED  a text is not JSON; an object has two members of one name; the forms are
 *	                 equal, but lone surrogates became U+FFFD; or the values differ only in
 *	                 strings of at least four words, which may mean the same
 *	AGREE_CHANGED    otherwise */
enum agreement format_json_agreement(struct span a, struct span b);
