#pragma once
/*
 * document - JSON values, held against each other: the order of members, the spelling of numbers
 * and escapes count for nothing.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

bool document_is(struct span text); /* one JSON value, with white space around it at most */
/* Undecided: one is no JSON, or they differ only in texts of several words that may say the same. */
enum agreement document_agreement(struct span a, struct span b);
