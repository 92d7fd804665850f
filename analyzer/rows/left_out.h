#pragma once
/*
 * left_out - pairs of legs that can't be compared, counted by reason. They are left out of figures,
 * and never count as differences.
 */
#include "analyzer/stats/name_counts.h"
#include "capture/capture.h"
#include "capture/leg_flaw.h"

struct left_out { /* zero-initialised: empty */
	/* indexed by outcome; a pair with both sides cut counts in base_cut only */
	uint64_t base_cut[N_OUTCOMES], test_cut[N_OUTCOMES];
	/* complete answers, but a choice has no finish reason, or an unknown one */
	uint64_t unfinished;
	/* an error status, an error body, or the engine aborted the answer */
	uint64_t base_error, test_error;
	/* parts are missing or damaged, or the answer is not JSON or has no choice */
	uint64_t unreadable;
	uint64_t unread;     /* a side has content that plumbline does not read */
	uint64_t unrecorded; /* the recorder dropped parts under load */
	uint64_t metadata;   /* the settings excluded the text of an answer from recording */
	/* not pairs, but choices that are missing on the other side of a pair */
	uint64_t unlike_choices;
	/* The reasons in words, by the side that has them (left_out_why.of_base). Cuts, unread
	 * and metadata have none. */
	struct name_counts base_why, test_why;
	/* names of members that plumbline does not read, each once per pair */
	struct name_counts unread_members;
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

/* Why one pair is left out. */
struct left_out_why {
	enum left_out_reason reason;
	/* The base's leg has the reason; false: the test's has it. If both legs have one, an
	 * error counts, else the base's reason. Not set for LEFT_OUT_METADATA. */
	bool of_base;
	enum outcome outcome;                /* for LEFT_OUT_CUT */
	char text[FLAW_TEXT_SIZE];           /* the reason in words; "": it has none */
	char members[LEFT_OUT_MEMBERS_SIZE]; /* for LEFT_OUT_UNREAD: names separated by spaces */
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
uint64_t left_out_total(const struct left_out *l); /* number of pairs that were added */
void left_out_finish(struct left_out *l);
/* True if the engine failed to give the answer. A client that left, or a stop of plumbline, is no
 * failure. r: the answer's reading; NULL: none. */
bool left_out_leg_has_failed(const struct leg_row *leg, const struct reading *r);
