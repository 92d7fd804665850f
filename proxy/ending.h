#pragma once
/*
 * ending - injection that ends for a kind of answers: for an hour if they are too long, else until
 * its engine is replaced. Logged once, counted by its reason. Any thread.
 */
#include <stdbool.h>

#include "backends/kinds.h"

struct shared;

enum ending {
	ENDING_CODING, /* what is added can't be cut: answers have a content coding, */
	ENDING_LONG,   /* are too long, */
	ENDING_LINES,  /* have other lines between data, */
	ENDING_TEXT,   /* or are not JSON */
	ENDING_LOST,   /* what is added harms: texts lack characters that their tokens spell, */
	ENDING_SLOW,   /* or take longer than max_slowdown allows */
	N_ENDINGS,
};

const char *ending_name(enum ending e); /* of the metric */
/* With tools or without; all: also for clients that accept other content codings than key says. */
void ending_declare(struct shared *s, const struct kind_key *key, enum ending e, bool all);
/* The same for one kind alone, by its number: from the recorder's threads. */
void ending_declare_number(struct shared *s, uint64_t number, enum ending e);
