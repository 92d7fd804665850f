#pragma once
/*
 * opinions - what judge models said of pairs of answers, beside what the ladder says: counts by
 * judge, and the figure that takes both into account.
 *
 * A pair that the ladder left undecided is the judge's to decide, if the judge says the same in both
 * orders. A pair that the ladder decided shows how far the judge agrees with it, and changes nothing.
 * What judges said of one pair is a row; rows add up in any order. Bounded.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/pair.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/figure_value.h"
#include "analyzer/stats/name_counts.h"
#include "backends/opinion.h"

#define OPINIONS_JUDGES 4 /* of one group: the first in the alphabet; more of them are counted */

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

/* Ratios by cluster: answers whose meaning changed, or may have, out of all that were compared. */
enum opinion_column { OPINION_CHANGED, OPINION_MAY_CHANGE, N_OPINION_COLUMNS };

struct judge_opinions {
	char *name;
	struct name_counts models;          /* as its engine named itself, by replies */
	uint64_t undecided[N_OPINION_ENDS]; /* pairs that the ladder left undecided */
	uint64_t checks[2][N_OPINION_ENDS]; /* pairs that it called the same, and changed */
	uint64_t unfinished;                /* pairs that were judged in one order only */
	uint64_t unclear;                   /* replies without a verdict: as if it could not tell */
	struct clusters *clusters;          /* its decisions, by enum opinion_column */
	/* Once settled. */
	struct figure_value with_judge;
	struct opinion_agreement agreement;
};

struct opinions {                      /* zero-initialised is empty */
	struct judge_opinions *judges; /* by name */
	size_t n;
	uint64_t beyond; /* pairs of judges without a place */
};

/* An exchange, and how an answer of it is had. */
struct opinion_source {
	const struct capture_exchange *e;
	void *arg;
	/* NULL: it can't be. The reading is the source's. */
	const struct reading *(*reading)(void *arg, size_t leg);
};

/* What one judge said of two answers. Names are borrowed. */
struct opinion_row {
	struct id exchange;
	const char *base, *test; /* names of the group */
	uint8_t cluster[CLUSTERS_KEY_SIZE];
	const char *judge;
	enum meaning_class ladder; /* what the ladder said */
	bool unfinished;           /* judged in one order only: what follows is not known */
	const char *models[2]; /* as its engine named itself in either reply; NULL: it did not */
	uint32_t unclear;      /* replies without a verdict */
	enum opinion_end end;
};

/* What all judges said of one pair, which is nothing for most: all but the exchange, the group and the cluster.
 * choice: as opinions_find() has it. Returns the number of rows. */
size_t opinions_of_pair(const struct opinion_source *source, const struct pair *pair,
        int32_t choice, enum meaning_class ladder, struct opinion_row ret[OPINIONS_JUDGES]);

void opinions_add(struct opinions *o, const struct opinion_row *row);
/* Once, after the last pair. ladder: what the ladder says of greedy answers, by enum opinion_column; or NULL. */
void opinions_settle(struct opinions *o, const struct clusters *ladder);
void opinions_finish(struct opinions *o);

/* The model that the judge named most often, or NULL; and how many replies named another. */
const char *judge_opinions_model(const struct judge_opinions *j);
uint64_t judge_opinions_other_models(const struct judge_opinions *j);

/* table[i][k]: the ladder says i, the judge k; 0 the same, 1 changed. */
void opinion_agreement(const uint64_t table[2][2], struct opinion_agreement *ret);

/* How `plumbline grade` grades answers to an exchange. */
enum grading grading_of(const struct exchange_labels *labels);
/* The newest grade of a leg's choice; GOLD_NONE: there is none. */
enum meaning_gold grades_find(const struct opinion_source *source, struct id leg, int32_t choice);
