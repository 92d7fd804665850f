#pragma once
/*
 * policy_check - checks whether an analysis keeps the limits of a policy. A rule that applies to
 * several groups or slices has one result for each of them. The results become the member "policy"
 * of the document, so that every form can show them.
 */
#include <stdio.h>

#include "analyzer/report/policy/policy.h"

enum policy_result {
	POLICY_RESULT_PASS,
	POLICY_RESULT_FAIL,       /* a rule fails, or an alarm that the policy lets fail */
	POLICY_RESULT_NOT_ENOUGH, /* nothing fails, but a rule counts as not enough */
};

/* Checks all rules and sets "policy" of the document. Accepted differences excuse rules, so call
 * accepted_check() first. */
enum policy_result policy_check(const struct policy *p, json_t *document);
/* Reads the result from "policy" of a document. Without this member, POLICY_RESULT_PASS; if the
 * member is not valid, POLICY_RESULT_NOT_ENOUGH. */
enum policy_result policy_result_of(const json_t *document);
