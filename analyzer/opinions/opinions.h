#pragma once
/*
 * opinions - the results of judge models for pairs of answers, beside the result of the ladder
 * (compare/meaning/meaning.h): counts by judge, and the figure that combines both.
 *
 * A judge gets each pair twice, with the answers in both orders, in two legs. If the ladder left a
 * pair undecided, and the judge's result is the same in both orders, the judge decides the pair. If
 * the ladder decided the pair, the judge's result only shows how well both agree. The result for
 * one pair is a row; rows may be added in any order. Memory is limited.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/pair.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/figure_value.h"
#include "analyzer/stats/name_counts.h"
#include "backends/judge_opinion.h"

/* the most judges that struct opinions keeps: the first in alphabetical order. Pairs of others
 * are counted in `beyond`. */
#define OPINIONS_JUDGES 4

/* The result of a judge's two replies for one pair. */
enum opinion_end {
	OPINION_END_SAME,
	OPINION_END_DIFFERENT,
	OPINION_END_CANNOT_TELL,     /* "can't tell" in both orders */
	OPINION_END_ORDER_DEPENDENT, /* the two results differ */
	N_OPINION_ENDS,
};
const char *opinion_end_name(enum opinion_end e);
enum opinion_end opinion_end_of(enum opinion one, enum opinion other);

/* Sets *ret to the result of one reply. False: the reply has no result; *ret is then
 * OPINION_CANNOT_TELL. */
bool opinion_of_reply(const struct reading *reply, enum opinion *ret);

/* One judge's legs for one pair, as indices into e->legs: the newest leg in which the base's
 * answer came first, and the newest leg in which the test's did. e->n_legs: there is none. */
struct opinion_legs {
	const char *judge;
	size_t base_first, test_first;
};
/* Finds the judges' legs for a pair. Ignores legs that are incomplete or were not recorded in full.
 * Writes at most OPINIONS_JUDGES items, in the order of each judge's first leg, and returns
 * their number; further judges are left out. choice: index of the choice that was judged, the
 * same in both answers. */
size_t opinions_find(const struct capture_exchange *e, const struct pair *pair, int32_t choice,
        struct opinion_legs ret[OPINIONS_JUDGES]);

/* How well the ladder and the judge agree, over pairs that both decided. */
struct opinion_agreement {
	uint64_t n, agree;
	struct interval ci; /* 95 %, of agree / n */
	/* Cohen's kappa; NaN: n is 0, or both called all pairs the same, or both all changed */
	double kappa;
	struct interval kappa_ci;
};

/* Figures of clusters, as shares of all compared greedy answers. OPINION_CHANGED: answers whose
 * meaning changed. OPINION_MAY_CHANGE: these and the undecided ones. */
enum opinion_column { OPINION_CHANGED, OPINION_MAY_CHANGE, N_OPINION_COLUMNS };

struct judge_opinions {
	char *name;
	/* the engine's names for its model, counted by replies */
	struct name_counts models;
	/* pairs that the ladder left undecided, by the judge's result */
	uint64_t undecided[N_OPINION_ENDS];
	/* [0]: pairs that the ladder called the same, [1]: changed; by the judge's result */
	uint64_t checks[2][N_OPINION_ENDS];
	uint64_t unfinished; /* pairs that were judged in one order only */
	/* replies without a result, which count as "can't tell" */
	uint64_t unclear;
	/* what the judge's decisions add to the ladder's sums, by enum opinion_column;
	 * opinions_settle() adds the ladder's sums */
	struct clusters *clusters;
	/* opinions_settle() sets these. */
	struct figure_value with_judge;
	struct opinion_agreement agreement;
};

struct opinions {                      /* zero-initialised: empty */
	struct judge_opinions *judges; /* ordered by name */
	size_t n;
	/* pairs of judges that got no place in `judges`: a pair counts once for each of them */
	uint64_t beyond;
};

/* An exchange, and a function that reads its answers. */
struct opinion_source {
	const struct capture_exchange *e;
	void *arg;
	/* Returns the reading of a leg, which the source owns; NULL: it can't be read. */
	const struct reading *(*reading)(void *arg, size_t leg);
};

/* One judge's result for one pair. The caller owns the names. */
struct opinion_row {
	struct id exchange;
	const char *base, *test; /* names of both sides, which identify the group */
	uint8_t cluster[CLUSTERS_KEY_SIZE];
	const char *judge;
	enum meaning_class ladder; /* the ladder's result */
	bool unfinished;           /* judged in one order only; the members below are not set */
	const char *models[2];     /* the engine's name for its model, in each reply; NULL: none */
	uint32_t unclear;          /* replies without a verdict */
	enum opinion_end end;
};

/* Writes a row for each judge that opinions_find() finds for the pair, and returns their number;
 * usually 0. Sets all members except exchange, base, test and cluster. The texts belong to the
 * source. choice: see opinions_find(). ladder: the ladder's result for the pair. */
size_t opinions_of_pair(const struct opinion_source *source, const struct pair *pair,
        int32_t choice, enum meaning_class ladder, struct opinion_row ret[OPINIONS_JUDGES]);

void opinions_add(struct opinions *o, const struct opinion_row *row);
/* Computes with_judge and agreement. Call once, after the last row. ladder: the ladder's sums
 * for greedy answers, by enum opinion_column; NULL: there are none. */
void opinions_settle(struct opinions *o, const struct clusters *ladder);
void opinions_finish(struct opinions *o);

/* The name that the judge's engine stated most often for its model (NULL: it stated none), and the
 * number of replies with another name. */
const char *judge_opinions_model(const struct judge_opinions *j);
uint64_t judge_opinions_other_models(const struct judge_opinions *j);

/* Computes the agreement. table[i][k]: number of pairs with the ladder's result i and the
 * judge's result k; 0: the same, 1: changed. kappa_ci: both ends of `ci`, converted to kappa. */
void opinion_agreement(const uint64_t table[2][2], struct opinion_agreement *ret);

/* How `plumbline grade` grades the answers of an exchange with these labels: the form of the right
 * answer (labels->gold) decides. GRADING_NONE: not at all. */
enum grading grading_of(const struct exchange_labels *labels);
/* The newest recorded grade of one choice of a leg; GOLD_NONE: no grade of this GRADE_VERSION is
 * recorded. leg: id of the leg. choice: index of the choice. */
enum meaning_gold grades_find(const struct opinion_source *source, struct id leg, int32_t choice);
