#pragma once
/*
 * facet - the same figures by one property of the requests at a time: is it the long prompts, the
 * streamed ones, one replica, one hour? Of greedy answers; of sampled ones by suite, where seeds
 * may be crossed with prompts. Bounded memory. Adding in any order gives the same bits.
 */
#include "analyzer/opinions/gold.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/crossing.h"

enum facet_kind {
	FACET_CATEGORY, /* the suite's, or else what kind of answer the prompt asks for */
	FACET_SUITE,
	FACET_MODEL,
	FACET_ENDPOINT,
	FACET_STREAMED,
	FACET_PROMPT_LENGTH, /* tokens, as the base counts them */
	FACET_CACHE,         /* of the test's prompt: cached tokens or none */
	FACET_LOAD,          /* requests that the test's backend had at once */
	FACET_REPLICA,       /* of the test */
	FACET_STACK,         /* of the test: a manifest's number */
	FACET_TIME,          /* UTC, by the hour */
	FACET_INJECTION,     /* was the primary's request added to? */
	N_FACETS,
};
const char *facet_kind_name(enum facet_kind k); /* "prompt_length" */

/* Ratios of sums by cluster. */
enum facet_figure {
	FACET_DIFFER,
	FACET_ANSWER_CHANGED, /* at least; with FACET_MAY_CHANGE, at most, it is a range */
	FACET_MAY_CHANGE,
	FACET_HAZARD,
	FACET_SCORE_SHIFT, /* percentage points: fixed less broke */
	FACET_BROKE,
	FACET_FIXED,
	FACET_DIVERGENCE_INDEX,
	N_FACET_FIGURES
};

#define FACET_VALUES 24 /* of a kind: the first ones; others are counted together */
#define FACET_NAME_SIZE 48

struct facet {
	enum facet_kind kind;
	char name[FACET_NAME_SIZE]; /* printable */
	double level;               /* where the values are numbers; else NaN */
	uint64_t pairs, differ;
	struct gold_counts gold;
	struct clusters *clusters; /* of enum facet_figure */
	struct crossing crossing;  /* likewise, of answers with a seed */
	/* Once settled. Intervals hold what the seeds bring, too, where these are crossed with
	 * prompts. */
	struct estimate values[N_FACET_FIGURES];
	size_t seeds; /* 0: they are not */
};

/* Whose answers: the prompt's cluster, and the seed with which both were drawn; NULL: with none, or
 * with two. */
struct facet_source {
	const uint8_t *cluster;
	const int64_t *seed;
};

struct facets {              /* zero-initialised is empty */
	struct facet *items; /* by kind, level and name */
	size_t n;
	uint64_t beyond[N_FACETS]; /* pairs of other values */
};

/* name is cut and made printable; level: NaN where it has none. */
void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct pair_facts *facts);
/* By all properties of the row. */
void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts);
/* Once, after the last answer: the estimates. */
void facets_settle(struct facets *f);
void facets_finish(struct facets *f);
size_t facets_count(const struct facets *f, enum facet_kind kind);

/* Does the share of differing answers rise or fall with the level? By Cochran and Armitage, over
 * answers as if they were independent. *ret_z: above 0, it rises. 1: nothing to tell. */
double facets_trend(const struct facets *f, enum facet_kind kind, double *ret_z);
/* infer-check's degradation cliff: the first level, in order, at which the share of differing
 * answers is over twice that of the level before, or above 0 after 0; NULL: none. */
const struct facet *facets_cliff(const struct facets *f, enum facet_kind kind);
