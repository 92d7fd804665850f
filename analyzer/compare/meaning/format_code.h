#pragma once
/*
 * format_code - whether two programs are the same but for comments and spacing.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

enum code_language {
	CODE_UNKNOWN, /* compared line by line, white space at the ends of lines aside */
	CODE_PYTHON,
	CODE_C,     /* C, C++, Java, C#, Rust: line feeds are spacing */
	CODE_LINES, /* JavaScript, TypeScript, Go, Kotlin, Swift: a line feed may end a statement */
	N_CODE_LANGUAGES,
};

/* By a fence's label. */
enum code_language code_language_of(struct span label);

/*
 * Same: the same tokens, or in an unknown language the same lines; the comments are the same too,
 * or one side has none. Changed: the same tokens but for one number or one operator.
 */
enum agreement code_agreement(struct span a, struct span b, enum code_language l);
