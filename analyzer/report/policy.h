#pragma once
/*
 * policy - reads the limits that an analysis must keep, from a YAML file.
 *
 * docs/policy.md describes the file. A rule that applies to several groups or slices has one result
 * for each of them.
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

/* How pairs count that the ladder left undecided and a judge model decided. */
enum policy_judged { POLICY_JUDGED_IGNORE, POLICY_JUDGED_COUNT };

struct policy_rule {
	const char *name; /* NULL: none */
	const struct metric *metric;
	bool excess; /* the limit is for the excess over the noise floor */
	/* the rule is for pairs of one engine, not for pairs of two backends */
	bool of_floors;
	const char *split;       /* greedy, sampled, unlike, unknown */
	const char *base, *test; /* names, patterns or roles; NULL: any */
	/* a property of requests and its value; slice NULL: every value; both NULL: the whole
	 * group */
	const char *slice_of, *slice;
	double min, max; /* NaN: none */
	enum policy_confidence confidence;
	double minimum_n;
	enum policy_undecided undecided;
	double min_effect; /* exceeding a limit by less than this is no failure */
	enum policy_judged judged;
};

struct conf;

struct policy {
	struct conf *file; /* owns the rules' texts */
	char *name;        /* of the file */
	struct policy_rule *rules;
	size_t n;
	double *min_effects; /* by metric; see policy_min_effect() */
	bool alarms_fail;    /* an alarm, an excess over the noise floor, is a failure */
};

/* NULL: *ret_error is "FILE:LINE: KEY: sentence", which the caller frees. */
struct policy *policy_load(const char *path, char **ret_error) MUST_CHECK;
struct policy *policy_parse(const char *name, struct span text, char **ret_error) MUST_CHECK;
void policy_destroy(struct policy *p);
/* The least difference that matters, in the metric's unit; 0: any. */
double policy_min_effect(const struct policy *p, const struct metric *m);

/* Words, by the enums above; ended by NULL. */
extern const char *const POLICY_CONFIDENCES[], *const POLICY_UNDECIDED[], *const POLICY_JUDGED[];
