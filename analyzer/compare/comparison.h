#pragma once
/*
 * comparison - the result of comparing two answers to one request: what each answer is by itself,
 * and what both are together. struct comparison is a plain value: it contains no text of the
 * request or the answers, and needs no freeing.
 *
 * compare_pair() is pure: it reads nothing but its arguments.
 *
 * If reasoning or calls are in different places on the two sides (placement_differs()), the answers
 * are normalised before their bytes and tokens are compared, and text_bytes and reasoning_bytes are
 * those of the normalised answers. All other members of struct answer_facts describe the answers as
 * received.
 */
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/meaning/meaning.h"
#include "answers/request_signs.h"
#include "analyzer/compare/tokens/opening.h"
#include "analyzer/compare/tokens/positions.h"
#include "capture/record.h"

#define ANSWER_FINISH_SIZE 24

/* One answer: one choice of a leg. */
struct answer_facts {
	uint64_t text_bytes, reasoning_bytes;
	/* The engines' own counts, if both engines state one and each reading has one choice. Else
	 * the number of tokens with logprobs, if both answers have columns. Else -1 on both
	 * sides. */
	int64_t tokens;
	/* finish reason that the engine stated, cut to fit; other characters than printable
	 * ASCII are '?'; "": none */
	char finish[ANSWER_FINISH_SIZE];
	bool ended;                 /* end_token_is_in() */
	enum reasoning_place place; /* where the answer has its reasoning */
	bool without_tokens;        /* the answer has no columns of tokens */
	/* number of tokens, if all logprobs of the answer are ignored because one was above 0;
	 * else 0 */
	uint64_t positive_tokens;
	/* tokens without a usable logprob, or with an unusable one in their lists; 0 if
	 * positive_tokens is set */
	uint64_t unusable_tokens;
};

struct comparison {
	struct answer_facts base, test;
	enum decoding decoding;
	bool differ; /* text, refusal or tool calls differ, byte for byte */
	bool text_equal;
	/* the value of placement_differs() */
	bool placement_differs;
	/* has_calls: at least one side has tool calls. calls_equal: and the calls of both sides
	 * are equal, in the same order; ids do not count. */
	bool has_calls, calls_equal;
	bool reasoning_equal; /* both sides have the same reasoning, byte for byte; not empty */
	/* Offset of the first byte at which the texts differ. If one text is the beginning of the
	 * other, or both are equal: the length of the shorter text. 0 unless `differ`. */
	uint64_t first_byte;
	bool tells_end;     /* what end_token_compare() returned */
	int64_t end_longer; /* if tells_end: *ret_longer of that function; else undefined */
	/* only this side ended at its token limit, and the texts are equal up to there */
	bool cut[N_SIDES];
	/* this side's text is the other side's text, followed by a stop sequence of the request */
	bool stop[N_SIDES];
	struct meaning meaning; /* base_value and test_value are empty here, since they are text */
	bool ungraded; /* at least one answer has no grade, and `plumbline grade` can grade it */
	struct positions positions;
	struct cause_signs signs;
	/* `opening` is set: both answers are sampled, their reasoning and calls are in the same
	 * places, and both sides have a list for the first token */
	bool has_opening;
	double opening[N_OPENINGS]; /* opening_compare() */
};

/* The facts of a comparison that are summed by facet (fold/facet.h). */
struct pair_facts {
	bool differ;
	/* decided: the class is not MEANING_UNDECIDED. changed: the class is
	 * MEANING_ANSWER_CHANGED or MEANING_STRUCTURAL. */
	bool decided, changed;
	enum meaning_gold base_gold, test_gold;
	bool gold_by_library; /* see struct meaning */
	uint64_t at_risk;     /* comparable positions; 0: no tokens */
	bool tokens_differ;   /* the value of positions.differ */
	/* tops: positions where the most probable token of both sides is known. tops_equal:
	 * those of them where both sides have the same token. */
	uint64_t tops, tops_equal;
	double divergence_index; /* as in struct positions; NaN: no tokens */
	bool has_first;          /* `first` is set */
	struct first first;
};
void pair_facts_of(const struct comparison *c, struct pair_facts *ret);

struct answer_input {
	const struct reading *reading;
	const struct choice *choice; /* the choice that is compared; part of `reading` */
	/* the grade that `plumbline grade` recorded; GOLD_NONE: none */
	enum meaning_gold graded;
};

enum grading {
	GRADING_NONE,
	GRADING_TESTS,   /* tests of a program; only they decide */
	GRADING_LIBRARY, /* Math-Verify; if it is undecided, meaning_gold_of() decides */
};

struct comparison_input {
	struct answer_input base, test;
	enum decoding decoding;
	struct span request;     /* the request's body; empty: unknown */
	const struct task *task; /* what is known about the request; NULL: nothing */
	enum grading grading;    /* what made `graded`; GRADING_NONE: `graded` is not read */
};

/* Working space that is reused from pair to pair. Zero-initialise it before the first use; one
 * thread. */
struct comparison_room {
	struct meaning_room meaning;
	struct cause_signs_reader signs;
};
void comparison_room_finish(struct comparison_room *room);

/* Returns what compare_pair() sets comparison.differ to. */
bool choices_differ(const struct choice *base, const struct choice *test);
/* Compares the two answers of *in and sets all members of *ret. */
void compare_pair(
        struct comparison_room *room, const struct comparison_input *in, struct comparison *ret);
