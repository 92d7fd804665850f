#pragma once
/*
 * left_out - pairs of legs that can't be compared, counted by reason. They are left out of figures,
 * and never count as differences.
 */
#include "analyzer/stats/name_counts.h"
#include "analyzer/stats/side.h"
#include "capture/capture.h"
#include "capture/leg_flaw.h"

enum left_out_reason {
	LEFT_OUT_NOT, /* the pair may be compared */
	LEFT_OUT_CUT, /* an answer did not arrive whole; left_out_why.outcome says why */
	/* complete answers, but a choice has no finish reason, or an unknown one */
	LEFT_OUT_UNFINISHED,
	/* an error status, an error body, or the engine aborted the answer */
	LEFT_OUT_ERROR,
	/* parts are missing or damaged, or the answer is not JSON or has no choice */
	LEFT_OUT_UNREADABLE,
	LEFT_OUT_UNREAD,     /* a side has content that plumbline does not read */
	LEFT_OUT_UNRECORDED, /* the recorder dropped parts under load */
	LEFT_OUT_METADATA,   /* the settings excluded the text of an answer from recording */
	N_LEFT_OUT_REASONS,
};
const char *left_out_reason_name(enum left_out_reason r); /* "cut" */

#define LEFT_OUT_MEMBERS_SIZE 256

/* Why one pair is left out. */
struct left_out_why {
	enum left_out_reason reason;
	/* True: the base's leg has the reason; false: the test's. If both legs have a reason,
	 * LEFT_OUT_ERROR counts, else the base's reason. Not set for LEFT_OUT_METADATA. */
	bool of_base;
	enum outcome outcome;                /* for LEFT_OUT_CUT */
	char text[FLAW_TEXT_SIZE];           /* the reason in words; "": it has none */
	char members[LEFT_OUT_MEMBERS_SIZE]; /* for LEFT_OUT_UNREAD: names separated by spaces */
};

struct left_out { /* zero-initialised: empty */
	/* By reason, and by the side that has it (left_out_why.of_base); reasons start at 1. */
	uint64_t pairs[N_LEFT_OUT_REASONS][N_SIDES];
	uint64_t cuts[N_SIDES][N_OUTCOMES]; /* of LEFT_OUT_CUT, by outcome */
	/* not pairs, but choices that are missing on the other side of a pair */
	uint64_t unlike_choices;
	struct name_counts why[N_SIDES]; /* left_out_why.text, by side */
	/* names of members that plumbline does not read, each once per pair */
	struct name_counts unread_members;
};

/* One leg of a pair: its row and its reading, NULL if it can't be read. */
struct left_out_leg {
	const struct leg_row *row;
	const struct reading *reading;
};

/* True if a leg was cut (LEFT_OUT_CUT); *ret is set only then. The answers need not be read. */
bool left_out_is_cut(
        const struct leg_row *base, const struct leg_row *test, struct left_out_why *ret);
/* Finds the other reasons, except LEFT_OUT_METADATA. Call it if left_out_is_cut() returned false.
 * False: the pair may be compared; *ret is unchanged. */
bool left_out_find(
        const struct left_out_leg *base, const struct left_out_leg *test, struct left_out_why *ret);

void left_out_add(struct left_out *l, const struct left_out_why *why);
/* The number of pairs that were added: all; those with this reason, of either side. */
uint64_t left_out_total(const struct left_out *l);
uint64_t left_out_pairs(const struct left_out *l, enum left_out_reason r);
void left_out_finish(struct left_out *l);
/* True if the engine failed to give the answer. A client that left, or a stop of plumbline, is no
 * failure. r: the answer's reading; NULL: none. */
bool left_out_leg_has_failed(const struct leg_row *leg, const struct reading *r);
