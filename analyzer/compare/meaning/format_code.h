#pragma once
/*
 * format_code - a program as its tokens, without comments and spacing; strings are kept as they are, and
 * Python keeps what its indentation means.
 *
 * A text that cannot be cut into tokens reliably (a string that does not end, a here-document, a
 * nested quotation) is not cut at all, so that nothing is dropped as a comment that is none.
 */
#include <stdbool.h>

#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

enum code_language {
	CODE_UNKNOWN, /* compared by bytes, white space at the ends of lines aside */
	CODE_PYTHON,
	CODE_C,      /* C, C++, Java, C#, Rust and others where line feeds are spacing */
	CODE_SCRIPT, /* JavaScript, TypeScript: a line feed may end a statement */
	CODE_GO,     /* Go, Kotlin, Swift: likewise */
	CODE_SQL,
	CODE_SHELL,
};

/* By a fence's label. */
enum code_language code_language_of(struct span label);

enum code_token_kind {
	CODE_WORD,
	CODE_NUMBER,
	CODE_STRING,
	CODE_MARK, /* an operator or a bracket: one character, or several that belong together */
	/* From here on no text of the code. */
	CODE_LINE, /* the end of a line that matters */
	CODE_INDENT,
	CODE_DEDENT,
};

struct code_token {
	enum code_token_kind kind;
	struct span text; /* as it is compared: belongs to the code, or is a literal */
};

struct code_comments {   /* zero-initialised is ready */
	struct buf text; /* one a line */
	bool special;    /* one has more than plain words, so that a tool may read it */
};

/* Appends struct code_token, and the comments to theirs. False: the code cannot be cut into
 * tokens; what was appended is of no use. */
bool code_tokens_read(struct span code, enum code_language l, struct buf *to,
        struct code_comments *comments) MUST_CHECK;

/*
 * Same: the same tokens, or in an unknown language the same lines; the comments are the same too,
 * or one side has none. Changed: the same tokens but for one number or one operator.
 */
enum agreement code_agreement(struct span a, struct span b, enum code_language l);
