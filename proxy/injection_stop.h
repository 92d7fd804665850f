#pragma once
/*
 * injection_stop - injection that ends for a kind of answers: for an hour if they are too long, else until
 * its engine is replaced. Logged once, counted by its reason. Any thread.
 */
#include <stdbool.h>

#include "backends/injection/kinds.h"

struct shared;

enum injection_stop {
	INJECTION_STOP_CODING, /* what is added can't be cut: answers have a content coding, */
	INJECTION_STOP_LONG,   /* are too long, */
	INJECTION_STOP_LINES,  /* have other lines between data, */
	INJECTION_STOP_TEXT,   /* or are not JSON */
	INJECTION_STOP_LOST, /* what is added harms: texts lack characters that their tokens spell, */
	INJECTION_STOP_SLOW, /* or take longer than max_slowdown allows */
	N_INJECTION_STOPS,
};

const char *injection_stop_name(enum injection_stop e); /* of the metric */
/* With tools or without; all: also for clients that accept other content codings than key says. */
void injection_stop_declare(
        struct shared *s, const struct kind_key *key, enum injection_stop e, bool all);
/* The same for one kind alone, by its number: from the recorder's threads. */
void injection_stop_declare_number(struct shared *s, uint64_t number, enum injection_stop e);
