#pragma once
/*
 * policy - the limits that an analysis must fulfil, from a YAML file.
 *
 * docs/policy.md describes the file. A rule that applies to several groups or slices gives one
 * result for each of them.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/mem.h"
#include "analyzer/report/metric.h"

enum policy_confidence {
	POLICY_BEYOND,   /* fails if the whole interval is beyond the limit */
	POLICY_ESTIMATE, /* fails if the estimate is beyond the limit */
	POLICY_WITHIN,   /* passes only if the whole interval is within the limit */
};

/* The result of a rule that can't be decided. */
enum policy_undecided { POLICY_NOT_ENOUGH, POLICY_PASS, POLICY_FAIL };

/* How undecided pairs count that a judge model decided. */
enum policy_judged { POLICY_JUDGED_IGNORE, POLICY_JUDGED_COUNT };

struct policy_rule {
	const char *name; /* NULL: none */
	const struct metric *metric;
	bool excess;             /* over the noise floor */
	bool of_floors;          /* for pairs of one engine, not for compared ones */
	const char *split;       /* greedy, sampled, unlike, unknown */
	const char *base, *test; /* names, patterns or roles; NULL: any */
	const char *slice_of,
	        /* an attribute and its value; NULL and NULL: the whole group. slice NULL: every
	         * value */
	        *slice;
	double min, max; /* NaN: none */
	enum policy_confidence confidence;
	double minimum_n;
	enum policy_undecided undecided;
	double min_effect; /* exceeding a limit by less is not a failure; 0: none */
	enum policy_judged judged;
};

struct policy;

/* NULL: *ret_error is "FILE:LINE: KEY: sentence"; the caller frees it. */
struct policy *policy_load(const char *path, char **ret_error) MUST_CHECK;
struct policy *policy_parse(const char *name, struct span text, char **ret_error) MUST_CHECK;
void policy_destroy(struct policy *p);
const char *policy_name(const struct policy *p); /* name of the file */
size_t policy_size(const struct policy *p);
const struct policy_rule *policy_rule(const struct policy *p, size_t i);
/* The least difference that matters, in the metric's unit; 0: any. */
double policy_min_effect(const struct policy *p, const struct metric *m);
bool policy_alarms_fail(const struct policy *p); /* alarms of the analysis over the noise floor */

const char *policy_confidence_name(enum policy_confidence c);
const char *policy_undecided_name(enum policy_undecided u);
const char *policy_judged_name(enum policy_judged j);
