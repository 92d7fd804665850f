#pragma once
/*
 * left_out - pairs that say nothing about how the engines answer, counted by why. They are censored,
 * never disagreements.
 */
#include "base/reasons.h"
#include "capture/capture.h"

/* Why a pair of legs was left out of all figures. */
struct left_out {
	uint64_t base_cut[N_OUTCOMES], test_cut[N_OUTCOMES]; /* by outcome; the base's first */
	uint64_t unfinished; /* complete, but a choice has no finish reason, or an unknown one */
	uint64_t base_error, test_error; /* an error status, an error body, aborted by the engine */
	uint64_t unreadable;     /* parts missing or damaged, not JSON, or no choice in it */
	uint64_t unread;         /* a side has content that plumbline does not read */
	uint64_t unrecorded;     /* parts that the recorder let go when it was pressed */
	uint64_t metadata;       /* of an answer no text was to be kept */
	uint64_t unlike_choices; /* a choice that the other side does not have */
	struct reasons base_why,
	        test_why; /* all but cuts, unread and metadata, in words; the base's first */
	struct reasons unread_members; /* the names of these, each once a pair */
};

/* One leg of a pair: its row and its reading, NULL where it can't be had. */
struct left_out_leg {
	const struct leg_row *row;
	const struct reading *reading;
};

/* The answers end in a way that says nothing, whatever they hold: no reading is needed to tell. */
bool left_out_is_cut(struct left_out *out, const struct leg_row *base, const struct leg_row *test);
/* Counts why the pair can't be compared. False: it may be. */
bool left_out_count(
        struct left_out *out, const struct left_out_leg *base, const struct left_out_leg *test);
uint64_t left_out_total(const struct left_out *l); /* pairs */
void left_out_merge(struct left_out *l, const struct left_out *other);
void left_out_finish(struct left_out *l);
