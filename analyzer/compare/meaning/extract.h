#pragma once
/*
 * extract - the answer that a text gives, and from where in it: \boxed{}, a line that says so, the
 * whole of a short text, a yes or no in front, the last number where one was asked for.
 */
#include "analyzer/compare/meaning/ladder.h"
#include "analyzer/compare/meaning/value.h"

enum extract_source {
	SOURCE_NONE,
	SOURCE_BOXED,
	SOURCE_MARKER, /* "the answer is", "####" */
	SOURCE_WHOLE,
	SOURCE_FIRST, /* yes or no */
	SOURCE_LAST,  /* the last number */
	N_SOURCES,
};
const char *extract_source_name(enum extract_source s);

struct extract {
	enum extract_source source; /* none: the rest is not to be read */
	struct value value;
	bool others;    /* the text names another value in the same way */
	bool doubted;   /* what stands around it may make it no answer, or another one */
	bool cued;      /* of a last number: its sentence concludes */
	bool concluded; /* of a last number: its sentence concludes, or there is no other */
	size_t change;  /* of a last number: the verb of change that it is the object of; 0: none */
	struct span words; /* what it was read from */
	/* Which answer it is told to be; mostly empty. */
	struct span attribute;
	/* Its sentence, of a box what stands before it, of a yes what is said with it; else empty. */
	struct span said;
};

/* c: a text that has been climbed with above the space rung; the spans belong to it. */
void extract_read(struct climb *c, enum question q, struct extract *ret);
enum agreement extract_agreement(const struct extract *a, const struct extract *b, enum question q);
