#pragma once
/*
 * opinions - what judge models said of pairs of answers, beside what the ladder says: counts by
 * judge, and the figure that takes both into account.
 *
 * A pair that the ladder left undecided is the judge's to decide, if the judge says the same in both
 * orders. A pair that the ladder decided shows how far the judge agrees with it, and changes nothing.
 * Bounded; opinions merge, and the same ones merged in the same order give the same bits.
 */
#include "analyzer/figure.h"
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/pair.h"
#include "backends/opinion.h"

#define OPINIONS_JUDGES 4 /* of one group, told apart by name; more of them are counted */

/* What two replies come to. */
enum opinion_end {
	OPINION_END_SAME,
	OPINION_END_DIFFERENT,
	OPINION_END_CANNOT_TELL,     /* in both orders */
	OPINION_END_ORDER_DEPENDENT, /* not the same in both */
	N_OPINION_ENDS,
};
const char *opinion_end_name(enum opinion_end e);
enum opinion_end opinion_end_of(enum opinion one, enum opinion other);

/* What one reply says; false: no verdict, which counts as if it could not tell. */
bool opinion_of_reply(const struct reading *reply, enum opinion *ret);

/* One judge on one pair: its newest leg in each order; n_legs of the exchange: there is none. */
struct opinion_legs {
	const char *judge;
	size_t base_first, test_first;
};
/* Writes at most OPINIONS_JUDGES and returns their number. choice: the index of both choices. */
size_t opinions_find(const struct capture_exchange *e, const struct pair *pair, int32_t choice,
        struct opinion_legs ret[OPINIONS_JUDGES]);

struct opinion_agreement { /* of pairs that both decided */
	uint64_t n, agree;
	struct interval ci; /* of agree / n */
	double kappa;       /* Cohen's; NaN: none, or chance alone would agree always */
	struct interval kappa_ci;
};

#define OPINIONS_MODELS 4 /* of one judge that are told apart */

struct judge_opinions {
	char *name;
	struct {
		char *name;
		uint64_t replies;
	} models[OPINIONS_MODELS];          /* as its engine named them, in order; NULL: no more */
	uint64_t more_models;               /* replies that named yet others */
	uint64_t undecided[N_OPINION_ENDS]; /* pairs that the ladder left undecided */
	uint64_t checks[2][N_OPINION_ENDS]; /* pairs that it called the same, and changed */
	uint64_t unfinished;                /* pairs that were judged in one order only */
	uint64_t unclear;                   /* replies without a verdict: as if it could not tell */
	struct clusters *clusters;          /* its decisions under FIGURE_ANSWER_CHANGED */
	/* Once settled. */
	struct figure_value with_judge;
	struct opinion_agreement agreement;
};

struct opinions { /* zero-initialised is empty */
	struct judge_opinions judges[OPINIONS_JUDGES];
	size_t n;
	uint64_t beyond; /* pairs of judges for whom there was no place */
};

/* An exchange, and how an answer of it is had. */
struct opinion_source {
	const struct capture_exchange *e;
	void *arg;
	/* NULL: it can't be. The reading is the source's. */
	const struct reading *(*reading)(void *arg, size_t leg);
};

/* What all judges said of one pair; nothing for most. choice: as opinions_find() has it. */
void opinions_note(struct opinions *o, const uint8_t *cluster, const struct opinion_source *source,
        const struct pair *pair, int32_t choice, const struct meaning *meaning);
void opinions_merge(struct opinions *to, const struct opinions *from);
/* Once, after the last pair. ladder: the group's clusters of greedy answers, by enum figure, not yet settled. */
void opinions_settle(struct opinions *o, const struct clusters *ladder);
void opinions_finish(struct opinions *o);

/* The model that the judge named first, or NULL; and how many replies named another. */
const char *judge_opinions_model(const struct judge_opinions *j);
uint64_t judge_opinions_other_models(const struct judge_opinions *j);

/* table[i][k]: the ladder says i, the judge k; 0 the same, 1 changed. */
void opinion_agreement(const uint64_t table[2][2], struct opinion_agreement *ret);
