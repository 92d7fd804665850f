#pragma once
/*
 * policy - reads the limits that an analysis must keep, from a YAML file. docs/policy.md describes
 * the file. policy_check.h applies the rules.
 */
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/mem.h"
#include "analyzer/report/metric.h"

/* When a rule fails. BEYOND and WITHIN are undecided if the figure has no interval. */
enum policy_confidence {
	POLICY_BEYOND,   /* fails if the whole interval is beyond the limit; else passes */
	POLICY_ESTIMATE, /* fails if the estimate is beyond the limit; else passes */
	POLICY_WITHIN,   /* as BEYOND, but undecided if the interval contains the limit */
};

/* What an undecided rule counts as. */
enum policy_undecided { POLICY_NOT_ENOUGH, POLICY_PASS, POLICY_FAIL };

/* Pairs whose meaning only a judge model decided, not compare/meaning: IGNORE: they are undecided;
 * COUNT: they count as the judge decided. */
enum policy_judged { POLICY_JUDGED_IGNORE, POLICY_JUDGED_COUNT };

struct policy_rule {
	const char *name; /* NULL: none */
	const struct metric *metric;
	bool excess; /* the limit is for the excess over the noise floor */
	/* the rule is for comparisons of a backend with itself, not of two backends */
	bool of_floors;
	const char *split;       /* greedy, sampled, unlike, unknown */
	const char *base, *test; /* names, shell patterns or roles; NULL: any */
	/* a property of requests (NULL: the whole group), and its value (NULL: each value) */
	const char *slice_of, *slice;
	/* min, max, least_effect: in the metric's unit; a share is 0 to 1 */
	double min, max; /* NaN: none */
	enum policy_confidence confidence;
	double minimum_n; /* if the figure has a smaller n, the rule is undecided */
	enum policy_undecided undecided;
	double least_effect; /* the rule fails only if the figure is this far beyond the limit */
	enum policy_judged judged;
};

struct conf;

struct policy {
	struct conf *file; /* owns the rules' texts */
	char *name;        /* of the file */
	struct policy_rule *rules;
	size_t n;
	double *least_effects; /* indexed as metric_at(); see policy_least_effect() */
	bool alarms_fail;      /* an alarm (excess_verdict.alarm) is a failure */
};

/* policy_load() reads a file, policy_parse() a text; name: for the error. The caller destroys the
 * policy. NULL: *ret_error is "FILE:LINE: KEY: sentence"; the caller frees this text. */
struct policy *policy_load(const char *path, char **ret_error) MUST_CHECK;
struct policy *policy_parse(const char *name, struct span text, char **ret_error) MUST_CHECK;
void policy_destroy(struct policy *p);
/* The file's least effect for this metric, in its unit; 0: every difference matters. */
double policy_least_effect(const struct policy *p, const struct metric *m);

/* the words of the file, indexed by the enums above; ended by NULL */
extern const char *const POLICY_CONFIDENCES[], *const POLICY_UNDECIDED[], *const POLICY_JUDGED[];
