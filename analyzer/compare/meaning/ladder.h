#pragma once
/*
 * ladder - the first rung at which two texts agree: each rung forgets one kind of difference more.
 *
 *	bytes      nothing
 *	unicode    normal form C, line ends, kinds of space, quotation marks and hyphens
 *	space      white space at the ends and runs of it
 *	markup     Markdown, HTML and LaTeX around the words; bare, fenced or backquoted, but
 *	           not as two codes and as one
 *	structure  how JSON and numbers are written, comments and spacing of code
 *	answer     all but what is asked for (meaning.h)
 *	different
 *
 * Code and JSON keep every byte up to the markup rung. Texts that agree at a rung have the same
 * form there, so that agreement is symmetric. Time is linear in the texts; so is memory.
 */
#include "analyzer/compare/meaning/markup.h"
#include "base/buf.h"

enum rung {
	RUNG_BYTES,
	RUNG_UNICODE,
	RUNG_SPACE,
	RUNG_MARKUP,
	RUNG_STRUCTURE,
	RUNG_ANSWER,
	RUNG_DIFFERENT,
	N_RUNGS,
};
const char *rung_name(enum rung r);

/* The forms; each appended. */
void ladder_unicode(struct span text, struct buf *to);
void ladder_space(struct span text, const struct buf *pieces, struct buf *to);
/* Digits of every script as ASCII's, every minus as one: for reading numbers, not a rung. */
void ladder_digits(struct span text, struct buf *to);

/* What was made of one text on the way up. The spans belong to the bufs, or to the text; codes are places in words. */
struct climb {
	struct buf unicode, pieces, form, plain, codes, prose, digits;
	struct span text;  /* in its unicode form */
	struct span words; /* without marks; its blocks too */
	bool failed;       /* too large to climb with */
};

struct ladder { /* zero-initialised is ready; can be used again and again */
	struct climb a, b;
};

/* The first rung up to RUNG_STRUCTURE at which the texts agree, else RUNG_DIFFERENT. After a rung
 * above bytes l->a and l->b hold the unicode form and its pieces, above space also the words. */
enum rung ladder_climb(struct ladder *l, struct span a, struct span b);
/* Whether they have the same between backquotes, or some left these out (inline_code.h); after a rung above space. */
bool ladder_codes_agree(const struct climb *a, const struct climb *b);
void ladder_finish(struct ladder *l);
