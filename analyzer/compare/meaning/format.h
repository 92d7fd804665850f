#pragma once
/*
 * format - finds out whether two texts differ in their format alone: makes their normal forms, and
 * returns the first form in which they are equal.
 *
 *	bytes      the texts as they are
 *	unicode    normal form C; one line end, blank, quotation mark and hyphen (format_unicode.c)
 *	space      no white space at the ends, no runs of it (format_space.h)
 *	markup     no Markdown or LaTeX marks around the words; code may be bare, fenced or between
 *	           backquotes, but two pieces of code never become one (format_markup.h)
 *	structure  one spelling of JSON, of numbers and of code (format_structure.c, format_json.h,
 *	           format_code.h)
 *
 * RUNG_ANSWER is for texts that agree in no form, but state the same answer (answer.h). In the
 * unicode, space and markup forms, code and JSON keep every byte. Time and memory are linear in the
 * texts.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "analyzer/compare/meaning/format_markup.h"
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

/* The forms of one text. The spans point into the bufs. */
struct forms {
	/* Working space of the modules that fill the forms. Items of `pieces`: struct
	 * markup_piece; of `codes`: struct markup_place. Modules that read the forms may use
	 * `talk` as they like. */
	struct buf unicode, pieces, form, plain, codes, talk;
	struct span text;  /* the unicode form; the items of `pieces` point into it */
	struct span words; /* the markup form; `codes` has the places of inline code in it */
	bool failed;       /* the text is larger than 16 MiB, so there are no forms */
};

struct format { /* zero-initialise it before the first use; reusable; one thread */
	struct forms a, b;
};

/* Returns the first rung up to RUNG_STRUCTURE at which the texts agree, else RUNG_DIFFERENT. If
 * `failed` is set on a side, only the bytes were compared. Else, if the result is RUNG_MARKUP or a
 * later rung, f has the unicode and markup forms of both texts until the next call. */
enum rung format_compare(struct format *f, struct span a, struct span b);
void format_finish(struct format *f);

/* The number of code and JSON blocks of a text (markup_is_block()), and the block with this
 * index; NULL: there is none. pieces: the text's pieces, from markup_pieces(). */
size_t block_count(const struct buf *pieces);
const struct markup_piece *block_at(const struct buf *pieces, size_t index);
/* True if the block is one JSON object or list and nothing else, with the label "json" or none. */
bool block_is_json(const struct markup_piece *p);
/* Compares the blocks of two texts in order: JSON by format_json.h, others by format_code.h, in the
 * language that the fence names. Returns AGREE_UNDECIDED if one text has more blocks than the
 * other, or more than 256. Else AGREE_CHANGED if a block has changed, else AGREE_UNDECIDED if a
 * block is undecided, else AGREE_SAME. a, b: the pieces of the two texts. */
enum agreement block_agreement_all(const struct buf *a, const struct buf *b);

/* The next three functions append one form of a text to `to`. */
void format_unicode(struct span text, struct buf *to);
void format_space(struct span text, const struct buf *pieces, struct buf *to);
/* marked: the text in its markup form, with blocks and inline code marked (markup_plain()). */
void format_structure(struct span marked, struct buf *to);
