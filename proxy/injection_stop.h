#pragma once
/*
 * injection_stop - ends injection for one kind of answers (kinds.h): for an hour if they are too
 * long, otherwise until the engine changes. Logs it once, and counts it by reason. Any thread.
 */
#include <stdbool.h>

#include "backends/injection/kinds.h"

struct shared;

enum injection_stop {
	/* Added members can't be cut out: */
	INJECTION_STOP_CODING, /* answers have a content coding */
	INJECTION_STOP_LONG,   /* they are too long */
	INJECTION_STOP_LINES,  /* their events have other lines between data */
	INJECTION_STOP_TEXT,   /* they are not JSON */
	/* Added members change the answers: */
	INJECTION_STOP_LOST, /* texts lack characters that the tokens have */
	INJECTION_STOP_SLOW, /* they take longer than max_slowdown allows */
	N_INJECTION_STOPS,
};

const char *injection_stop_name(enum injection_stop e); /* the metric's label */
/* Ends injection for the kind, with and without tools. all: with and without content codings
 * too; otherwise only as `key` says. */
void injection_stop_declare(
        struct shared *s, const struct kind_key *key, enum injection_stop e, bool all);
/* Ends injection only for the kind with this number (kinds_number()). */
void injection_stop_declare_number(struct shared *s, uint64_t number, enum injection_stop e);
