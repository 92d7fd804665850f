#pragma once
/*
 * format_code_tokens - the tokens of a program, without comments and spacing. Python's indentation
 * becomes tokens. The token of a string includes the quotation marks. In Python ' and " mean the
 * same, so the token of a plain string is without them. Plain: no prefix, not triple-quoted, and no
 * quotation mark or backslash in the string.
 *
 * A text that could be tokenized in several ways (an unterminated string, a lifetime in Rust, a
 * regular expression) is not tokenized at all, so that no code is dropped as a comment.
 */
#include <stdbool.h>

#include "analyzer/compare/meaning/format_code.h"

enum code_token_kind {
	CODE_WORD,
	CODE_NUMBER,
	CODE_STRING,
	CODE_MARK,    /* an operator or a bracket: one character, or several that belong together */
	CODE_NEWLINE, /* the end of a line, if it can end a statement */
	CODE_INDENT,
	CODE_DEDENT,
};

struct code_token {
	enum code_token_kind kind;
	/* points into the code; empty for CODE_NEWLINE, CODE_INDENT and CODE_DEDENT */
	struct span text;
};

struct code_tokens {         /* zero-initialise it before the first use */
	struct buf items;    /* struct code_token */
	struct buf comments; /* the comments, each followed by a line feed */
	bool special;        /* a comment may be for a tool, such as "//go:build" */
};

/* Reads the tokens into *ret, which must be empty. l must not be CODE_UNKNOWN. False: the code
 * can't be tokenized. Call code_tokens_finish() in both cases. */
bool code_tokens_read(struct span code, enum code_language l, struct code_tokens *ret) MUST_CHECK;
void code_tokens_finish(struct code_tokens *t);
