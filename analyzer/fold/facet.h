#pragma once
/*
 * facet - figures of the pairs of one group, for each value of a property of the requests, such as
 * the length of the prompt, the replica or the hour. group.h keeps all properties for greedy
 * answers, and only the suite for sampled answers. Memory is limited. The result is the same, bit
 * for bit, in whatever order pairs are added.
 */
#include "analyzer/opinions/gold.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/crossing.h"

enum facet_kind {
	FACET_CATEGORY, /* the suite's category, else the kind of answer that the prompt asks for */
	FACET_SUITE,
	FACET_MODEL,
	FACET_ENDPOINT,
	FACET_STREAMED,
	FACET_PROMPT_LENGTH, /* ranges of tokens, as the base counts them */
	FACET_CACHE,         /* whether the test's prompt had cached tokens */
	FACET_LOAD,          /* ranges of requests in flight to the test's backend */
	FACET_REPLICA,       /* the test's replica */
	FACET_STACK,         /* the test's stack: id of its manifest */
	FACET_TIME,          /* the hour, UTC */
	FACET_INJECTION,     /* whether members were added to the primary's request */
	N_FACETS,
};
const char *facet_kind_name(enum facet_kind k); /* "prompt_length" */

/* The figures of facet.clusters. */
enum facet_figure {
	FACET_DIFFER,
	FACET_ANSWER_CHANGED, /* lower end of a range; FACET_MAY_CHANGE: its upper end */
	FACET_MAY_CHANGE,
	FACET_HAZARD,
	FACET_SCORE_SHIFT, /* percentage points: 100 (FACET_FIXED - FACET_BROKE) */
	FACET_BROKE,
	FACET_FIXED,
	FACET_DIVERGENCE_INDEX,
	N_FACET_FIGURES
};

#define FACET_VALUES 24 /* the most values of a property: the first ones by level, then by name */
#define FACET_NAME_SIZE 48

struct facet {
	enum facet_kind kind;
	char name[FACET_NAME_SIZE]; /* printable */
	/* the value or the start of its range; FACET_TIME: hours since 1970; NaN: no number */
	double level;
	uint64_t pairs, differ;
	struct gold_counts gold;
	struct clusters *clusters; /* figures: enum facet_figure */
	struct crossing crossing;  /* the same figures, over answers with a seed */
	/* facets_settle() sets these. If every prompt was sent with every seed, the intervals
	 * include the variation between seeds. */
	struct estimate values[N_FACET_FIGURES];
	size_t seeds; /* number of seeds; 0: the intervals do not include them */
};

/* The cluster of a pair, and the seed of both answers. seed NULL: no seed, or two different
 * ones. */
struct facet_source {
	const uint8_t *cluster;
	const int64_t *seed;
};

struct facets { /* zero-initialised: empty */
	struct facet_list {
		struct facet *items; /* ordered by level and name */
		size_t n;
		uint64_t beyond; /* pairs whose value is not among the FACET_VALUES kept */
	} of[N_FACETS];
};

/* Adds a pair to one value of a property. name: the value; it is cut to fit and made printable.
 * level: see struct facet. */
void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct pair_facts *facts);
/* Adds a pair, without its seed, to the values of all its properties. */
void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts);
/* Makes the estimates. Call once, after the last pair. */
void facets_settle(struct facets *f);
void facets_finish(struct facets *f);
/* The number of values, of all kinds. */
size_t facets_count(const struct facets *f);

/* Tests whether the share of differing answers rises or falls with the level (Cochran-Armitage).
 * Returns the two-sided p. *ret_z: the statistic; above 0: the share rises. If nothing can be
 * tested: p = 1, z = 0. Values whose level is NaN are left out. Treats answers as independent. */
double facets_trend(const struct facets *f, enum facet_kind kind, double *ret_z);
/* infer-check's degradation cliff: the first value, in rising order of level, whose share of
 * differing answers is more than twice that of the value before. After a share of 0, any share
 * above 0 is a cliff. NULL: none. */
const struct facet *facets_cliff(const struct facets *f, enum facet_kind kind);
