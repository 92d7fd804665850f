#pragma once
/*
 * comparison - the result of comparing two answers to one request: what each answer is by itself,
 * and what both are together. A plain value: it contains no text of the request or the answers, and
 * needs no freeing.
 *
 * compare_pair() is pure: it reads nothing but its arguments.
 */
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/request_signs.h"
#include "analyzer/compare/tokens/opening.h"
#include "analyzer/compare/tokens/positions.h"
#include "capture/record.h"

#define ANSWER_FINISH_SIZE 24

/* One answer: one choice of a leg. */
struct answer {
	uint64_t text_bytes, reasoning_bytes;
	int64_t tokens; /* -1: unknown */
	/* finish reason that the engine stated, printable, cut to fit; "": none */
	char finish[ANSWER_FINISH_SIZE];
	/* the answer ended by itself, so the engine may have counted an end token */
	bool ended;
	enum reasoning_place place; /* where the answer has its reasoning */
	bool without_tokens;        /* no token has a logprob */
	uint64_t positive_tokens;   /* tokens whose logprobs are ignored because one was above 0 */
	/* tokens without a logprob, or with a value in their lists that is not a number */
	uint64_t unusable_tokens;
};

struct comparison {
	struct answer base, test;
	enum decoding decoding;
	bool differ; /* text, refusal or tool calls, byte for byte */
	bool text_equal;
	/* reasoning or calls are in different members; the answers were compared without them */
	bool placement_differs;
	/* at least one side called tools; the calls of both sides are equal except for ids */
	bool has_calls, calls_equal;
	bool reasoning_equal; /* both sides have the same reasoning, byte for byte */
	uint64_t first_byte;  /* the first byte where the texts differ */
	/* the pair shows whether each engine counts the token that ends an answer */
	bool tells_end;
	/* if tells_end: end tokens that the test counts, minus those that the base counts */
	int64_t end_longer;
	/* only this side ended at its token limit, and both answers are equal up to there */
	bool base_cut, test_cut;
	/* this side ends with a stop sequence, and both answers are equal up to there */
	bool base_stop, test_stop;
	struct meaning meaning; /* its base_value and test_value are empty, since they are text */
	bool ungraded; /* `plumbline grade` can grade an answer of the pair, and has not done so */
	struct positions positions;
	struct cause_signs signs;
	bool has_opening; /* for sampled answers: both sides have a list for the first token */
	double opening[N_OPENINGS];
};

/* The facts of a comparison that are summed by facet (fold/facet.h). */
struct pair_facts {
	bool differ;
	/* decided: it is certain whether the meaning changed. changed: it did change; the test
	 * gives another answer, or another kind of answer. */
	bool decided, changed;
	enum meaning_gold base_gold, test_gold;
	bool gold_by_library;
	uint64_t at_risk;   /* comparable positions; 0: no tokens */
	bool tokens_differ; /* the comparable positions contain a difference */
	/* positions where the most probable token of both sides is known; those where it is the
	 * same */
	uint64_t tops, tops_equal;
	double divergence_index; /* NaN: no tokens */
	bool has_first;          /* `first` is set */
	struct first first;
};
void pair_facts_of(const struct comparison *c, struct pair_facts *ret);

struct answer_input {
	const struct reading *reading;
	const struct choice *choice; /* part of the reading */
	/* the grade that `plumbline grade` recorded; GOLD_NONE: none */
	enum meaning_gold graded;
};

enum grading {
	GRADING_NONE,
	GRADING_TESTS,   /* tests of a program; only they decide */
	GRADING_LIBRARY, /* Math-Verify; if it is undecided, the ladder decides */
};

struct comparison_input {
	struct answer_input base, test;
	enum decoding decoding;
	struct span request;     /* the request's body; empty: it can't be read */
	const struct task *task; /* what is known about the request */
	enum grading grading;    /* where `graded` is from */
};

/* Working space that is reused from pair to pair. Zero-initialise it before the first use; one
 * thread. */
struct comparison_room {
	struct meaning_room meaning;
	struct cause_signs_reader signs;
};
void comparison_room_finish(struct comparison_room *room);

/* The value of comparison.differ. */
bool choices_differ(const struct choice *base, const struct choice *test);

void compare_pair(
        struct comparison_room *room, const struct comparison_input *in, struct comparison *ret);
