#pragma once
/*
 * injection_stop - stops injection for one kind of answers (kinds.h): for an hour for
 * INJECTION_STOP_LONG and _STRANGE, otherwise until the engine changes. Logs it once, and counts it
 * by reason. Any thread.
 */
#include <stdbool.h>

#include "backends/injection/kinds.h"

struct shared;

enum injection_stop {
	/* Why added members can't be cut out: */
	INJECTION_STOP_CODING,  /* answers have a content coding */
	INJECTION_STOP_DIGEST,  /* answers have a digest or signature of their body */
	INJECTION_STOP_LONG,    /* an answer is longer than `logprobs.limit` */
	INJECTION_STOP_LINES,   /* answers have other lines between the data lines of an event */
	INJECTION_STOP_TEXT,    /* answers are not JSON */
	INJECTION_STOP_PLACE,   /* answers have added members in other places than expected */
	INJECTION_STOP_IDS,     /* streams number their events */
	INJECTION_STOP_MIXED,   /* plain answers have the member in various forms (KIND_MIXED) */
	INJECTION_STOP_STRANGE, /* too many answers were strange (kinds.h) or lost */
	/* How added members change the answers: */
	INJECTION_STOP_LOST,   /* texts lack characters that consist of several tokens */
	INJECTION_STOP_SLOW,   /* answers take longer than `logprobs.max_slowdown` allows */
	INJECTION_STOP_ERRORS, /* more streams have errors (kinds_count_stream()) */
	N_INJECTION_STOPS,
};

const char *injection_stop_name(enum injection_stop e); /* the metric's label */
/* Stops injection for this kind, and for the kinds that differ from it only in `tools` (unless the
 * cause is INJECTION_STOP_STRANGE) or, if all is true, in `codings`. Not for
 * INJECTION_STOP_MIXED. */
void injection_stop_declare(
        struct shared *s, const struct kind_key *key, enum injection_stop e, bool all);
/* Only logs and counts INJECTION_STOP_MIXED; call it when kinds_learn() returns true. kinds_get()
 * then returns KIND_MIXED, so no logprobs are added; usage still is. */
void injection_stop_report_mixed(struct shared *s, const struct kind_key *key);
/* Stops injection only for the kind with this number (kinds_number()). */
void injection_stop_declare_number(struct shared *s, uint64_t number, enum injection_stop e);
