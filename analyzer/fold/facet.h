#pragma once
/*
 * facet - figures by one property of the requests at a time: long prompts, streamed requests, one
 * replica, one hour. For greedy answers; for sampled ones by suite, where seeds may be crossed with
 * prompts. Bounded memory. Adding in any order gives the same bits.
 */
#include "analyzer/opinions/gold.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/crossing.h"

enum facet_kind {
	FACET_CATEGORY, /* the suite's, else the kind of answer that the prompt asks for */
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
	FACET_INJECTION,     /* whether members were added to the primary's request */
	N_FACETS,
};
const char *facet_kind_name(enum facet_kind k); /* "prompt_length" */

/* Ratios of sums by cluster. */
enum facet_figure {
	FACET_DIFFER,
	FACET_ANSWER_CHANGED, /* lower end of a range; FACET_MAY_CHANGE is its upper end */
	FACET_MAY_CHANGE,
	FACET_HAZARD,
	FACET_SCORE_SHIFT, /* percentage points: fixed minus broke */
	FACET_BROKE,
	FACET_FIXED,
	FACET_DIVERGENCE_INDEX,
	N_FACET_FIGURES
};

/* the most values kept of a kind: the first in order of level and name; the rest are counted
 * together */
#define FACET_VALUES 24
#define FACET_NAME_SIZE 48

struct facet {
	enum facet_kind kind;
	char name[FACET_NAME_SIZE]; /* printable */
	double level;               /* if the values are numbers; else NaN */
	uint64_t pairs, differ;
	struct gold_counts gold;
	struct clusters *clusters; /* of enum facet_figure */
	struct crossing crossing;  /* the same figures, over answers with a seed */
	/* Valid after facets_settle(). If seeds are crossed with prompts, the intervals include
	 * the variation between seeds. */
	struct estimate values[N_FACET_FIGURES];
	size_t seeds; /* 0: not crossed */
};

/* The source of answers: the prompt's cluster, and the seed of both; NULL: no seed, or two
 * seeds. */
struct facet_source {
	const uint8_t *cluster;
	const int64_t *seed;
};

struct facets {              /* zero-initialised is empty */
	struct facet *items; /* by kind, level and name */
	size_t n;
	/* by kind: pairs whose value is not among the FACET_VALUES kept */
	uint64_t beyond[N_FACETS];
};

/* name is cut to fit and made printable. level: NaN if the value is not a number. */
void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct pair_facts *facts);
/* Adds a row by all its properties. */
void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts);
/* Call once, after the last answer: makes the estimates. */
void facets_settle(struct facets *f);
void facets_finish(struct facets *f);
size_t facets_count(const struct facets *f, enum facet_kind kind);

/* The Cochran-Armitage test for a trend of the share of differing answers over the level; it
 * takes the answers as independent. *ret_z above 0: the share rises. Returns p; 1: nothing to
 * test. */
double facets_trend(const struct facets *f, enum facet_kind kind, double *ret_z);
/* infer-check's degradation cliff: the first level, in order, at which the share of differing
 * answers is over twice that of the level before, or above 0 after 0; NULL: none. */
const struct facet *facets_cliff(const struct facets *f, enum facet_kind kind);
