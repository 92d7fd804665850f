#pragma once
/*
 * opinions - the results of judge models for pairs of answers, beside the result of the ladder:
 * counts by judge, and the figure that combines both.
 *
 * A judge decides a pair that the ladder left undecided, if it says the same in both orders. For a
 * pair that the ladder decided, the judge's result only shows their agreement. The result for one
 * pair is a row; rows may be added in any order. Bounded.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/pair.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/figure_value.h"
#include "analyzer/stats/name_counts.h"
#include "backends/opinion.h"

/* the most judges in one group: the first in alphabetical order; further ones are only counted */
#define OPINIONS_JUDGES 4

/* The result of two replies. */
enum opinion_end {
	OPINION_END_SAME,
	OPINION_END_DIFFERENT,
	OPINION_END_CANNOT_TELL,     /* in both orders */
	OPINION_END_ORDER_DEPENDENT, /* not the same in both */
	N_OPINION_ENDS,
};
const char *opinion_end_name(enum opinion_end e);
enum opinion_end opinion_end_of(enum opinion one, enum opinion other);

/* The result of one reply; false: no result, which counts as "can't tell". */
bool opinion_of_reply(const struct reading *reply, enum opinion *ret);

/* One judge's legs for one pair, as indexes into the exchange's legs: the newest in each order.
 * The value n_legs of the exchange means that there is none. */
struct opinion_legs {
	const char *judge;
	size_t base_first, test_first;
};
/* Writes at most OPINIONS_JUDGES and returns their number. choice: the index of both choices. */
size_t opinions_find(const struct capture_exchange *e, const struct pair *pair, int32_t choice,
        struct opinion_legs ret[OPINIONS_JUDGES]);

struct opinion_agreement { /* over pairs that both decided */
	uint64_t n, agree;
	struct interval ci; /* of agree / n */
	double kappa;       /* Cohen's; NaN: no data, or chance alone always agrees */
	struct interval kappa_ci;
};

/* Ratios by cluster: answers whose meaning changed, or may have changed, over all compared
 * answers. */
enum opinion_column { OPINION_CHANGED, OPINION_MAY_CHANGE, N_OPINION_COLUMNS };

struct judge_opinions {
	char *name;
	struct name_counts models;          /* the engine's name of its model, by replies */
	uint64_t undecided[N_OPINION_ENDS]; /* pairs that the ladder left undecided */
	uint64_t checks[2][N_OPINION_ENDS]; /* pairs that the ladder called the same, and changed */
	uint64_t unfinished;                /* pairs that were judged in one order only */
	uint64_t unclear;                   /* replies without a result: count as "can't tell" */
	struct clusters *clusters;          /* its decisions, by enum opinion_column */
	/* Once settled. */
	struct figure_value with_judge;
	struct opinion_agreement agreement;
};

struct opinions {                      /* zero-initialised is empty */
	struct judge_opinions *judges; /* by name */
	size_t n;
	/* pairs judged by judges that got no place in `judges`; counted once for each such judge */
	uint64_t beyond;
};

/* An exchange, and a function that reads its answers. */
struct opinion_source {
	const struct capture_exchange *e;
	void *arg;
	/* NULL: not readable. The source owns the reading. */
	const struct reading *(*reading)(void *arg, size_t leg);
};

/* One judge's result for two answers. Names are borrowed. */
struct opinion_row {
	struct id exchange;
	const char *base, *test; /* names of the group */
	uint8_t cluster[CLUSTERS_KEY_SIZE];
	const char *judge;
	enum meaning_class ladder; /* the ladder's result */
	bool unfinished;           /* judged in one order only: the members below are not known */
	const char *models[2];     /* the engine's name of its model in each reply; NULL: none */
	uint32_t unclear;          /* replies without a verdict */
	enum opinion_end end;
};

/* The results of all judges for one pair; most pairs have none. Sets everything but exchange, group
 * and cluster. choice: as in opinions_find(). Returns the number of rows. */
size_t opinions_of_pair(const struct opinion_source *source, const struct pair *pair,
        int32_t choice, enum meaning_class ladder, struct opinion_row ret[OPINIONS_JUDGES]);

void opinions_add(struct opinions *o, const struct opinion_row *row);
/* Call once, after the last pair. ladder: the ladder's results for greedy answers, by enum
 * opinion_column; or NULL. */
void opinions_settle(struct opinions *o, const struct clusters *ladder);
void opinions_finish(struct opinions *o);

/* The most common model of the judge, or NULL; and the number of replies with another one. */
const char *judge_opinions_model(const struct judge_opinions *j);
uint64_t judge_opinions_other_models(const struct judge_opinions *j);

/* table[i][k]: the ladder's result is i, the judge's is k; 0 the same, 1 changed. */
void opinion_agreement(const uint64_t table[2][2], struct opinion_agreement *ret);

/* How `plumbline grade` grades answers to an exchange. */
enum grading grading_of(const struct exchange_labels *labels);
/* The newest grade of a leg's choice; GOLD_NONE: there is none. */
enum meaning_gold grades_find(const struct opinion_source *source, struct id leg, int32_t choice);
