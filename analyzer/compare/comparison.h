#pragma once
/*
 * comparison - what two answers to one request show, each by itself and both together. A plain value: no text of
 * request or answers stays in it, and nothing is to be freed.
 *
 * compare_pair() is pure: all that it reads was read before.
 */
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/request_signs.h"
#include "analyzer/compare/tokens/opening.h"
#include "analyzer/compare/tokens/positions.h"
#include "capture/record.h"

#define ANSWER_FINISH_SIZE 24

/* One answer, which is one choice of a leg. */
struct answer {
	uint64_t text_bytes, reasoning_bytes;
	int64_t tokens; /* -1: unknown */
	char finish
	        [ANSWER_FINISH_SIZE]; /* as its engine said, printable, cut to fit; "": it said nothing */
	bool ended;                   /* by itself, so that an end token may have been counted */
	enum reasoning_place place;
	bool without_tokens;      /* none has a logprob */
	uint64_t positive_tokens; /* whose logprobs do not count, because one was above 0 */
	uint64_t
	        unusable_tokens; /* tokens without a logprob, or with one that is no number in their lists */
};

struct comparison {
	struct answer base, test;
	enum decoding decoding;
	bool differ; /* text, refusal or tool calls, byte for byte */
	bool text_equal;
	bool placement_differs; /* reasoning or calls stand elsewhere; the answers were compared without */
	bool has_calls, calls_equal; /* a side called tools; the calls are equal, their ids apart */
	bool reasoning_equal;        /* both have some */
	uint64_t first_byte;         /* of the texts, where they differ */
	bool tells_end; /* the pair shows whether the engines count the token that ends an answer */
	int64_t end_longer; /* if so: tokens that the test counts there, less those of the base */
	bool base_cut,
	        test_cut; /* that side alone ended at its limit, and is the same until there */
	bool base_stop,
	        test_stop; /* that side ends with a stop sequence, and is the same until there */
	struct meaning meaning; /* its values, which are text, are empty */
	bool ungraded; /* the task is for `plumbline grade`, which has not graded both sides */
	struct positions positions;
	struct cause_signs signs;
	bool has_opening; /* of sampled answers: both list the first token */
	double opening[N_OPENINGS];
};

/* The few facts of a comparison that are summed up by many properties. */
struct pair_facts {
	bool differ;
	bool decided, changed; /* the meaning; changed: another answer, or another kind of answer */
	enum meaning_gold base_gold, test_gold;
	bool gold_by_library;
	uint64_t at_risk;          /* comparable positions; 0: no tokens */
	bool parted;               /* within them */
	uint64_t tops, tops_equal; /* positions */
	double divergence_index;   /* NaN: no tokens */
	bool has_first;
	struct first first;
};
void pair_facts_of(const struct comparison *c, struct pair_facts *ret);

struct answer_input {
	const struct reading *reading;
	const struct choice *choice; /* of the reading */
	enum meaning_gold graded;    /* what `plumbline grade` recorded of it; GOLD_NONE: nothing */
};

enum grading {
	GRADING_NONE,
	GRADING_TESTS,   /* of programs: nothing else decides */
	GRADING_LIBRARY, /* Math-Verify; where it has not decided the ladder does */
};

struct comparison_input {
	struct answer_input base, test;
	enum decoding decoding;
	struct span request;     /* its body; empty where it can't be had */
	const struct task *task; /* what is known of the request */
	enum grading grading;    /* whether and how `graded` is known */
};

/* Memory that is used again from pair to pair. Zero-initialised is ready; one thread. */
struct comparison_room {
	struct meaning_room meaning;
	struct cause_signs_reader signs;
};
void comparison_room_finish(struct comparison_room *room);

/* As comparison.differ. */
bool choices_differ(const struct choice *base, const struct choice *test);

void compare_pair(
        struct comparison_room *room, const struct comparison_input *in, struct comparison *ret);
