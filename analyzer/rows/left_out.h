#pragma once
/*
 * left_out - pairs that can't be compared, counted by reason. They are left out of figures, and
 * never count as differences.
 */
#include "analyzer/stats/name_counts.h"
#include "capture/capture.h"
#include "capture/leg_flaw.h"

/* Counts of pairs that were left out of all figures. */
struct left_out {
	/* by outcome; a pair with both sides cut is counted in base_cut only */
	uint64_t base_cut[N_OUTCOMES], test_cut[N_OUTCOMES];
	uint64_t unfinished; /* complete, but a choice has no finish reason, or an unknown one */
	uint64_t base_error, test_error; /* an error status, an error body, aborted by the engine */
	uint64_t unreadable;     /* parts missing or damaged, not JSON, or no choice in it */
	uint64_t unread;         /* a side has content that plumbline does not read */
	uint64_t unrecorded;     /* parts that the recorder dropped under load */
	uint64_t metadata;       /* an answer whose text was not to be kept */
	uint64_t unlike_choices; /* a choice that is missing on the other side */
	struct name_counts base_why,
	        /* reasons in words, by the side that has them; if both sides have one, only the
	         * base's is counted; none for cuts, unread and metadata */
	        test_why;
	struct name_counts unread_members; /* the names of unread members, each once per pair */
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
	/* true: the reason is in the base's leg, or in both; false: only in the test's */
	bool of_base;
	enum outcome outcome; /* for LEFT_OUT_CUT */
	char text[FLAW_TEXT_SIZE];
	char members[LEFT_OUT_MEMBERS_SIZE]; /* for LEFT_OUT_UNREAD: names separated by spaces */
};

/* One leg of a pair: its row and its reading, NULL if it can't be read. */
struct left_out_leg {
	const struct leg_row *row;
	const struct reading *reading;
};

/* True if an answer ended in a way that rules out a comparison; this needs no reading. */
bool left_out_is_cut(
        const struct leg_row *base, const struct leg_row *test, struct left_out_why *ret);
/* Finds any reason to leave the pair out, also those that only the readings show. False: there
 * is none, the pair may be compared. */
bool left_out_find(
        const struct left_out_leg *base, const struct left_out_leg *test, struct left_out_why *ret);

void left_out_add(struct left_out *l, const struct left_out_why *why);
uint64_t left_out_total(const struct left_out *l); /* pairs */
void left_out_finish(struct left_out *l);
/* Whether the engine failed to give the answer. Not a failure: the client left, or plumbline
 * stopped. r: NULL if there is none. */
bool left_out_leg_has_failed(const struct leg_row *leg, const struct reading *r);
