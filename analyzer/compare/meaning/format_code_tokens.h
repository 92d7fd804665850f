#pragma once
/*
 * format_code_tokens - a program as its tokens, without comments and spacing. Strings are kept as
 * they are, and Python keeps what its indentation means.
 *
 * A text that may be cut in several ways (a string that does not end, a lifetime of Rust's, a
 * regular expression) is not cut at all, so that nothing is dropped as a comment that is none.
 */
#include <stdbool.h>

#include "analyzer/compare/meaning/format_code.h"

enum code_token_kind {
	CODE_WORD,
	CODE_NUMBER,
	CODE_STRING,
	CODE_MARK,    /* an operator or a bracket: one character, or several that belong together */
	CODE_NEWLINE, /* the end of a line that matters */
	CODE_INDENT,
	CODE_DEDENT,
};

struct code_token {
	enum code_token_kind kind;
	struct span text; /* of the code */
};

struct code_tokens {         /* zero-initialised is ready */
	struct buf items;    /* struct code_token */
	struct buf comments; /* one a line */
	bool special;        /* a comment is more than plain words, so that a tool may read it */
};

/* False: the code cannot be cut into tokens. */
bool code_tokens_read(struct span code, enum code_language l, struct code_tokens *ret) MUST_CHECK;
void code_tokens_finish(struct code_tokens *t);
