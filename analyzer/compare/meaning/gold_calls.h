#pragma once
/*
 * gold_calls - a right answer that is no text but a list of tool calls: [{"name": "f", "arguments": {…}}, …];
 * an empty list says that none is to be made. Pure.
 */
#include "analyzer/compare/meaning/meaning.h"

/* Whether the right answer is such a list. Only of requests that offer tools: elsewhere it is a text. */
bool gold_calls_is(struct span gold);
/*
 * Right: the same calls, in any order. Undecided: arguments that may say the same, and an answer that was cut
 * before it called.
 */
enum meaning_gold gold_calls_judge(
        struct span gold, const struct choice *answer, bool cut, const struct tools *tools);
