#pragma once
/*
 * meaning - whether two answers to one prompt say the same: the rung of the ladder at which they
 * agree, and what kind of difference is left.
 *
 *	bytes ... structure   the same but for their format (format.h)
 *	answer                they state the same value (answer.h, value.h), or hold the same code
 *	                      (format.h) or tool calls (calls.h)
 *	different             for certain, by these or by a word (sentence.h); else undecided
 *
 * It decides only what is certain: a wrong "same" is a bug, undecided is an answer. Pure, and
 * symmetric: exchanging the sides exchanges what is said of them and nothing else. Reasoning is
 * compared by itself and never changes the class of the answer, but where it stands does: with
 * reasoning in the text on one side only, two answers differ in format.
 */
#include "analyzer/compare/meaning/calls.h"
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/sentence.h"
#include "analyzer/compare/meaning/task.h"
#include "answers/reading.h"

enum meaning_class {
	MEANING_IDENTICAL,
	MEANING_FORMAT,  /* agree up to structure; or reasoning in another place */
	MEANING_WORDING, /* the same answer in other words */
	MEANING_ANSWER_CHANGED,
	MEANING_STRUCTURAL, /* another kind of answer: see marks */
	MEANING_UNDECIDED,  /* no reliable answer on both sides; not a match */
	N_MEANING_CLASSES,
};
const char *meaning_class_name(enum meaning_class c);

enum meaning_severity {
	MEANING_NONE,
	MEANING_MINOR,    /* format, wording */
	MEANING_MODERATE, /* undecided between texts that are much alike */
	MEANING_SEVERE,
	N_MEANING_SEVERITIES,
};
const char *meaning_severity_name(enum meaning_severity s);

/* What the verdict rests on. */
enum meaning_basis {
	BASIS_TEXT, /* the rungs up to structure, or nothing better */
	BASIS_NUMBER,
	BASIS_DATE,
	BASIS_CHOICE,
	BASIS_BOOLEAN,
	BASIS_WORDS, /* a short answer in words */
	BASIS_JSON,
	BASIS_CODE,
	BASIS_PROSE,
	BASIS_CALLS,
	BASIS_PARTS, /* marks */
	N_MEANING_BASES,
};
const char *meaning_basis_name(enum meaning_basis b);

enum meaning_mark {
	MEANING_PLACEMENT = 1 << 0,      /* reasoning stands in different places */
	MEANING_CALLS_TEXT = 1 << 1,     /* tool calls on one side only */
	MEANING_CALLS_PLACE = 1 << 2,    /* calls as text on one side, as calls on the other */
	MEANING_TRUNCATED = 1 << 3,      /* one side was cut at its length, or within its JSON */
	MEANING_FINISH = 1 << 4,         /* they ended for other reasons */
	MEANING_REFUSAL = 1 << 5,        /* one side refused */
	MEANING_LOOP = 1 << 6,           /* one side ends in a loop */
	MEANING_EMPTY = 1 << 7,          /* one side has no answer */
	MEANING_NUMBERS = 1 << 8,        /* prose: equal but for one number */
	MEANING_NAMES = 1 << 9,          /* ... one name */
	MEANING_NEGATIONS = 1 << 10,     /* ... one negation */
	MEANING_THOUGHT_CUT = 1 << 11,   /* one side's reasoning began and never ended */
	MEANING_INVALID_CALLS = 1 << 12, /* one side's calls break their tools' schemas */
};
#define N_MEANING_MARKS 13
const char *meaning_mark_name(unsigned bit); /* of 1 << bit */

/* One answer compared with the right one. */
enum meaning_gold {
	GOLD_NONE, /* the right answer is not known */
	GOLD_RIGHT,
	GOLD_WRONG,
	GOLD_UNDECIDED,
	N_MEANING_GOLDS,
};
const char *meaning_gold_name(enum meaning_gold g);
static inline bool gold_is_told(enum meaning_gold g)
{
	return g == GOLD_RIGHT || g == GOLD_WRONG;
}

#define MEANING_VALUE_SIZE 96

struct meaning {
	enum rung rung;
	enum meaning_class class;
	enum meaning_severity severity;
	enum meaning_basis basis;
	uint32_t marks;
	float similarity; /* of the answers' words, 0 to 1; for display and tiers only */
	/* The answers that were compared, cut to fit; empty if none was found. */
	char base_value[MEANING_VALUE_SIZE], test_value[MEANING_VALUE_SIZE];
	struct {
		enum rung rung; /* up to structure; different if one side shows none */
		size_t base_len, test_len;
	} reasoning;
	struct calls_difference calls;
	enum meaning_gold base_gold, test_gold;
	bool gold_by_library; /* Math-Verify graded at least one of both */
};

struct meaning_room { /* working space; zero-initialised is ready; one thread */
	struct format format;
	struct sentence sentence_a, sentence_b;
	struct buf text_a, text_b;
};
void meaning_room_finish(struct meaning_room *room);

/* Plain answers that are equal byte for byte: the commonest case, found without any forms. */
bool meaning_is_same(const struct choice *base, const struct choice *test);
/* It ended at its length, in the answer or in its reasoning. */
bool meaning_is_cut(const struct choice *c);
/* task: what is known of the request; NULL: nothing. */
void meaning_compare(struct meaning_room *room, const struct choice *base,
        const struct choice *test, const struct task *task, struct meaning *ret);
/* By the class and the similarity. */
void meaning_set_severity(struct meaning *m);
/* Two answers' texts alone. cut: either was cut at its length, so that its end is no answer. */
void meaning_compare_texts(struct meaning_room *room, struct span base, struct span test,
        enum question q, bool cut, struct meaning *ret);
/* One answer's text compared with the right one; cut: as above. */
enum meaning_gold meaning_gold_of(
        struct meaning_room *room, struct span answer, enum question q, bool cut, struct span gold);

/*
 * A right answer that is no text but a list of tool calls: [{"name": "f", "arguments": {…}}, …]; an
 * empty list says that none is to be made. Only of requests that offer tools: elsewhere it is text.
 */
bool gold_calls_is(struct span gold);
/* Right: the same calls, in any order. Undecided: arguments that may say the same, and an answer
 * that was cut before it called. */
enum meaning_gold gold_calls_judge(
        struct span gold, const struct choice *answer, bool cut, const struct tools *tools);
