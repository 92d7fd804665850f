#pragma once
/*
 * policy - what an analysis must fulfil: limits on its figures, from a YAML file.
 *
 * docs/policy.md describes the file. A rule that is about several groups, or slices, gives a result for each of them.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/mem.h"
#include "analyzer/report/metric.h"

enum policy_confidence {
	POLICY_BEYOND,   /* fails when the whole interval is beyond the limit */
	POLICY_ESTIMATE, /* fails when the estimate is */
	POLICY_WITHIN,   /* passes when the whole interval is within it */
};

/* What becomes of a rule that can't be decided. */
enum policy_undecided { POLICY_NOT_ENOUGH, POLICY_PASS, POLICY_FAIL };

/* What becomes of undecided pairs of answers that a judge model decided. */
enum policy_checkd { POLICY_JUDGED_IGNORE, POLICY_JUDGED_COUNT };

struct policy_rule {
	const char *name; /* NULL: none was given */
	const struct metric *metric;
	bool excess;             /* over the noise floor */
	bool of_floors;          /* of pairs of one engine, not of trials */
	const char *split;       /* greedy, sampled, unlike, unknown */
	const char *base, *test; /* names, patterns or roles; NULL: any */
	const char *slice_of,
	        *slice;  /* one kind of slice; NULL and NULL: the whole. slice NULL: each */
	double min, max; /* NaN: none */
	enum policy_confidence confidence;
	double minimum_n;
	enum policy_undecided undecided;
	double min_effect; /* beyond a limit by less is no failure; 0: none */
	enum policy_checkd judged;
};

struct policy;

/* NULL: *ret_error is FILE:LINE: KEY: sentence, the caller frees it. */
struct policy *policy_load(const char *path, char **ret_error) MUST_CHECK;
struct policy *policy_parse(const char *name, struct span text, char **ret_error) MUST_CHECK;
void policy_destroy(struct policy *p);
const char *policy_name(const struct policy *p); /* the file's */
size_t policy_size(const struct policy *p);
const struct policy_rule *policy_rule(const struct policy *p, size_t i);
/* From which size on a difference matters, in the metric's unit; 0: any does. */
double policy_min_effect(const struct policy *p, const struct metric *m);
bool policy_alarms_fail(const struct policy *p); /* those of the analysis, over the noise floor */

const char *policy_confidence_name(enum policy_confidence c);
const char *policy_undecided_name(enum policy_undecided u);
const char *policy_checkd_name(enum policy_checkd j);
