#pragma once
/*
 * code_comments - what of a program's comments is more than an explanation.
 */
#include <stdbool.h>

#include "analyzer/compare/meaning/code_results.h"
#include "base/buf.h"

struct code_comments {         /* zero-initialised is ready */
	struct buf directives; /* what a tool reads, by lines */
	struct buf numbers;    /* in the others, which may tell a result; by lines */
	struct buf constants;  /* likewise: true, none, KeyError, 'ab', [] */
	struct buf results;    /* likewise, with their places: "Output: Hello" */
	struct code_results reader;
	bool metadata; /* between "# /// script" and "# ///", which an installer reads */
};

/* Takes in one comment of the code, its marks included. place: how many tokens stand before it. */
void code_comments_add(
        struct code_comments *c, struct span code, struct span comment, size_t place);
/* Numbers, constants or results that only one has tell nothing: the other may have no comments. */
bool code_comments_agree(const struct code_comments *a, const struct code_comments *b);
void code_comments_finish(struct code_comments *c);
