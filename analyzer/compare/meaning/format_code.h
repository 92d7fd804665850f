#pragma once
/*
 * format_code - whether two programs are equal except for comments and spacing.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

enum code_language {
	CODE_UNKNOWN, /* compared line by line, ignoring white space at the ends of lines */
	CODE_PYTHON,
	CODE_C,     /* C, C++, Java, C#, Rust: line feeds are spacing */
	CODE_LINES, /* JavaScript, TypeScript, Go, Kotlin, Swift: a line feed may end a statement */
	N_CODE_LANGUAGES,
};

/* The language that the label of a fence names. */
enum code_language code_language_of(struct span label);

/*
 * AGREE_SAME: equal tokens (in an unknown language: equal lines), and equal comments or comments on
 * one side only. AGREE_CHANGED: equal tokens except one number or one operator.
 */
enum agreement code_agreement(struct span a, struct span b, enum code_language l);
