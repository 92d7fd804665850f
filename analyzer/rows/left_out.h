#pragma once
/*
 * left_out - pairs that say nothing about how the engines answer, counted by why. They are censored,
 * never disagreements.
 */
#include "analyzer/stats/name_counts.h"
#include "capture/capture.h"
#include "capture/leg_flaw.h"

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
	struct name_counts base_why,
	        test_why; /* all but cuts, unread and metadata, in words; the base's first */
	struct name_counts unread_members; /* the names of these, each once a pair */
};

enum left_out_reason {
	LEFT_OUT_NOT, /* the pair may be compared */
	LEFT_OUT_CUT,
	LEFT_OUT_UNFINISHED,
	LEFT_OUT_ERROR,
	LEFT_OUT_UNREADABLE,
	LEFT_OUT_UNREAD,
	LEFT_OUT_UNRECORDED,
	LEFT_OUT_METADATA,
	N_LEFT_OUT_REASONS,
};
const char *left_out_reason_name(enum left_out_reason r); /* "cut" */

#define LEFT_OUT_MEMBERS_SIZE 256

/* Why one pair of legs is left out. */
struct left_out_why {
	enum left_out_reason reason;
	bool of_base;         /* which leg it is; the base's comes first */
	enum outcome outcome; /* of LEFT_OUT_CUT */
	char text[FLAW_TEXT_SIZE];
	char members
	        [LEFT_OUT_MEMBERS_SIZE]; /* of LEFT_OUT_UNREAD: names with spaces between them */
};

/* One leg of a pair: its row and its reading, NULL where it can't be had. */
struct left_out_leg {
	const struct leg_row *row;
	const struct reading *reading;
};

/* The answers end in a way that says nothing, whatever they hold: no reading is needed to tell. */
bool left_out_is_cut(
        const struct leg_row *base, const struct leg_row *test, struct left_out_why *ret);
/* Of readings. False: the pair may be compared. */
bool left_out_find(
        const struct left_out_leg *base, const struct left_out_leg *test, struct left_out_why *ret);

void left_out_add(struct left_out *l, const struct left_out_why *why);
uint64_t left_out_total(const struct left_out *l); /* pairs */
void left_out_finish(struct left_out *l);
/* Did its engine fail to give that answer? Not: the client left, or we stopped. r: NULL where there is none. */
bool left_out_leg_has_failed(const struct leg_row *leg, const struct reading *r);
