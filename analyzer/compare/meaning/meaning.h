#pragma once
/*
 * meaning - decides whether two answers to one prompt mean the same. It tries ways of comparing in
 * a fixed order, the *ladder*; the result is the first one (the *rung*) at which the answers agree,
 * and the kind of the remaining difference.
 *
 *	bytes ... structure   equal except for their format (format.h)
 *	answer                they state the same value (answer.h, value.h), or contain the same
 *	                      code (format.h) or tool calls (calls.h)
 *	different             nothing shows that they agree; `class` says whether they certainly
 *	                      differ (by value, code or calls, or by one word: sentence.h) or are
 *	                      undecided
 *
 * Only certain results are decided: a wrong "same" is a bug, undecided is a valid result. Pure, and
 * symmetric: if the sides are exchanged, only the base and test members of the result change
 * places.
 *
 * Reasoning is compared separately. Its text changes the class only if neither choice has an answer
 * and at least one choice was cut. The place of the reasoning counts here, unlike in the text
 * figures (placement.h): if only one side has its reasoning in the text, the two answers differ in
 * format.
 */
#include "analyzer/compare/meaning/calls.h"
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/sentence.h"
#include "analyzer/compare/meaning/task.h"
#include "answers/reading.h"

enum meaning_class {
	MEANING_IDENTICAL,
	/* equal up to RUNG_STRUCTURE; or reasoning or calls are in another place, or calls are
	 * spelt differently */
	MEANING_FORMAT,
	MEANING_WORDING, /* the same answer in other words (RUNG_ANSWER) */
	MEANING_ANSWER_CHANGED,
	MEANING_STRUCTURAL, /* they are different kinds of answers: see `marks` */
	MEANING_UNDECIDED,  /* nothing is certain; this is not a match */
	N_MEANING_CLASSES,
};
const char *meaning_class_name(enum meaning_class c);

enum meaning_severity {
	MEANING_SEVERITY_NONE,
	MEANING_SEVERITY_MINOR,    /* format, wording */
	MEANING_SEVERITY_MODERATE, /* undecided, and similarity is 0.5 or more */
	MEANING_SEVERITY_SEVERE,   /* all else */
	N_MEANING_SEVERITIES,
};
const char *meaning_severity_name(enum meaning_severity s);

/* What the class is based on. */
enum meaning_basis {
	BASIS_TEXT, /* the texts as a whole */
	BASIS_NUMBER,
	BASIS_DATE,
	BASIS_CHOICE,
	BASIS_BOOLEAN,
	BASIS_WORDS, /* a short answer in words */
	BASIS_JSON,
	BASIS_CODE,
	BASIS_PROSE, /* the words outside of code, compared one by one (sentence.h) */
	BASIS_CALLS,
	/* the parts of the answers and their places: see `marks` */
	BASIS_PARTS,
	N_MEANING_BASES,
};
const char *meaning_basis_name(enum meaning_basis b);

enum meaning_mark {
	MEANING_MARK_PLACEMENT = 1 << 0,     /* reasoning is in different places */
	MEANING_MARK_CALLS_MISSING = 1 << 1, /* tool calls on one side only */
	MEANING_MARK_CALLS_PLACE = 1 << 2,   /* the calls of one side only are in the text */
	/* only one side was cut at its length limit, or within its JSON */
	MEANING_MARK_TRUNCATED = 1 << 3,
	/* other different finish reasons; a stop sequence counts as a stop */
	MEANING_MARK_FINISH = 1 << 4,
	MEANING_MARK_REFUSAL = 1 << 5,      /* only one side refused */
	MEANING_MARK_LOOP = 1 << 6,         /* only one side ends in a loop (sentence_loops()) */
	MEANING_MARK_EMPTY = 1 << 7,        /* only one side has an answer */
	MEANING_MARK_NUMBERS = 1 << 8,      /* prose: equal except for one number */
	MEANING_MARK_NAMES = 1 << 9,        /* prose: equal except for one name */
	MEANING_MARK_NEGATIONS = 1 << 10,   /* prose: equal except for one negation */
	MEANING_MARK_THOUGHT_CUT = 1 << 11, /* only one side's reasoning has no end */
	/* only one side has calls that violate the schemas of their tools */
	MEANING_MARK_INVALID_CALLS = 1 << 12,
};
#define N_MEANING_MARKS 13
const char *meaning_mark_name(unsigned bit); /* name of the mark 1 << bit */

/* One answer compared with the right one. */
enum meaning_gold {
	GOLD_NONE, /* the right answer is not known */
	GOLD_RIGHT,
	GOLD_WRONG,
	GOLD_UNDECIDED,
	N_MEANING_GOLDS,
};
const char *meaning_gold_name(enum meaning_gold g);
/* True if the answer is known to be right or wrong. */
static inline bool gold_is_decided(enum meaning_gold g)
{
	return g == GOLD_RIGHT || g == GOLD_WRONG;
}

#define MEANING_VALUE_SIZE 96

struct meaning {
	enum rung rung;
	enum meaning_class class;
	enum meaning_severity severity;
	enum meaning_basis basis;
	uint32_t marks; /* enum meaning_mark */
	/* sentence_similarity() of the answers; 1 if equal except for their format; only for
	 * display and severity */
	float similarity;
	/* The values that the texts state, cut to fit; empty if a text states none, or if they
	 * were not needed. */
	char base_value[MEANING_VALUE_SIZE], test_value[MEANING_VALUE_SIZE];
	struct {
		/* up to RUNG_STRUCTURE; RUNG_DIFFERENT: the reasoning differs, or only one side
		 * has any */
		enum rung rung;
		size_t base_len, test_len; /* bytes of the reasoning */
	} reasoning;
	struct calls_difference calls;
	enum meaning_gold base_gold, test_gold;
	bool gold_by_library; /* Math-Verify graded at least one of the two */
};

struct meaning_room { /* working space; zero-initialise it before the first use; one thread */
	struct format format;
	struct sentence sentence_a, sentence_b;
	struct buf text_a, text_b;
};
void meaning_room_finish(struct meaning_room *room);

/* True for two answers with equal bytes (text, reasoning) and finish reasons, without tool
 * calls, refusals or reasoning in the text. This is the most common case, and needs no normal
 * forms. */
bool meaning_is_same(const struct choice *base, const struct choice *test);
/* True if the choice ended at its length limit, or within its reasoning. */
bool meaning_is_cut(const struct choice *c);
/* Compares two choices and sets *ret; gold_by_library becomes false, the caller may set it. task:
 * what is known about the request; NULL: nothing. */
void meaning_compare(struct meaning_room *room, const struct choice *base,
        const struct choice *test, const struct task *task, struct meaning *ret);
/* Sets the severity from class and similarity. */
void meaning_set_severity(struct meaning *m);
/* Compares only the texts of two answers; `reasoning`, `calls` and the golds of *ret become 0. q:
 * the kind of answer that the prompt asks for. cut: one of the answers ended at its length limit,
 * so it may lack what it was to say; then only the rungs up to RUNG_STRUCTURE, an empty text, a
 * loop or a cut JSON can decide. */
void meaning_compare_texts(struct meaning_room *room, struct span base, struct span test,
        enum question q, bool cut, struct meaning *ret);
/* Compares the text of one answer with the right answer `gold`, or with the part of it after
 * "####". cut: the answer ended at its length limit. GOLD_NONE: gold is empty. */
enum meaning_gold meaning_gold_of(
        struct meaning_room *room, struct span answer, enum question q, bool cut, struct span gold);

/*
 * True if the right answer is not text but a list of tool calls: [{"name": "f", "arguments": {…}},
 * …]; an empty list means that no tool is to be called. Use only for requests that offer tools:
 * for other requests, such a right answer is text.
 */
bool gold_is_calls(struct span gold);
/* Compares the calls of an answer with the right ones. tools: as in calls_compare().
 *
 *	GOLD_RIGHT      the same calls, in any order. An answer that was cut and has no calls is
 *	                never right
 *	GOLD_UNDECIDED  otherwise, if the arguments of calls may mean the same; or the answer was
 *	                cut and has no more calls than the right one; or gold is not such a list
 *	GOLD_WRONG      otherwise */
enum meaning_gold gold_calls_judge(
        struct span gold, const struct choice *answer, bool cut, const struct tools *tools);
