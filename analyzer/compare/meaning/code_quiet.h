#pragma once
/*
 * code_quiet - a program's tokens without those that hardly ever change what it does: texts that
 * explain, annotations of types, a comma behind the last item, brackets around a whole expression; with "x += 1" spelt "x = x + 1",
 * "range(0, n)" as "range(n)", "== None" as "is None", without a script's ";" and SQL's AS, ASC and INNER.
 *
 * "Hardly ever": (1,) is not (1), and a program may read its own annotations. Two programs that
 * differ in these alone are therefore neither the same nor changed.
 */
#include "analyzer/compare/meaning/code_tokens.h"

void code_quiet(const struct code_token *tokens, size_t n, enum code_language l, struct buf *to);
