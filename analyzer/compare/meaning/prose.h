#pragma once
/*
 * prose - sentences held against each other, word by word. Two texts say the same only if they have
 * the same words in the same order, case and a "the" at a sentence's beginning and commas before "and" aside.
 */
#include <stdint.h>

#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

enum prose_word_flag {
	PROSE_NUMBER = 1 << 0, /* has a digit, or is a numeral */
	PROSE_NAME = 1 << 1,   /* a capital where no sentence begins */
	PROSE_NEGATION = 1 << 2,
};

struct prose_word {
	uint64_t hash; /* of the word in lower case: for counting, never for equality */
	uint32_t flags;
};

struct prose {
	struct buf form;   /* the words in one spelling, a line feed after each */
	struct buf words;  /* struct prose_word */
	struct buf joints; /* a byte for each "and": whether a comma is before it */
	struct buf order;  /* working space */
};

struct prose_difference {
	float similarity; /* twice the common words by all of them; for display, and to tell apart an
	                     edit from another text */
	bool numbers, names; /* each side has one that the other lacks */
	bool negations;      /* one side has more */
	bool any;            /* some number, name or negation is on one side only */
};

/* Reads two texts without markup; what both begin with is mostly read once. Can be used again and again. */
void prose_read_both(struct prose *p, struct span plain, struct prose *q, struct span other);
void prose_finish(struct prose *p);
size_t prose_count(const struct prose *p);

static inline const struct prose_word *prose_words(const struct prose *p)
{
	return (const struct prose_word *)(const void *)p->words.data;
}

/* Changed: numbers, names or negations differ in what is otherwise the same text. */
enum agreement prose_agreement(struct prose *a, struct prose *b, struct prose_difference *ret);
enum agreement prose_agreement_of(struct span a, struct span b, struct prose_difference *ret);
/* The text ends in a stretch of eight words or more that comes four times or more. */
bool prose_loops(const struct prose *p);
