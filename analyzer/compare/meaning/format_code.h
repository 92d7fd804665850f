#pragma once
/*
 * format_code - compares two programs without regard to spacing. Comments may be on one side only.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

enum code_language {
	CODE_UNKNOWN, /* compared by lines: white space at their ends does not count */
	CODE_PYTHON,
	CODE_C,     /* C, C++, Java, C#, Rust: line feeds are spacing */
	CODE_LINES, /* JavaScript, TypeScript, Go, Kotlin, Swift: a line feed may end a statement */
	N_CODE_LANGUAGES,
};

/* The language that the label of a fence names, in any case; CODE_UNKNOWN: none of the known
 * ones. */
enum code_language code_language_of(struct span label);

/*
 * Compares two programs in one language.
 *
 *	AGREE_SAME       equal tokens; and equal comments, or plain comments on one side only
 *	AGREE_CHANGED    equal tokens, except for one number or one operator; comments do not count
 *	AGREE_UNDECIDED  otherwise
 *
 * A comment that a tool may read ("//go:build") is not plain. If the language is CODE_UNKNOWN, or a
 * program can't be tokenized: equal lines are AGREE_SAME, others AGREE_UNDECIDED.
 */
enum agreement code_agreement(struct span a, struct span b, enum code_language l);
