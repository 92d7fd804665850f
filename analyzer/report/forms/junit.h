#pragma once
/*
 * junit - writes an analysis as a JUnit report for CI servers. With a policy (policy_check.h), each
 * result of a rule is a test case, and each alarm if alarms fail the policy. Without a policy, each
 * pair of backends that groups.h shows is a test case; if there is none, the whole document is one.
 * An undecided case is reported as skipped, unless it counts as failed. Errors of writing remain in
 * `to` (ferror()).
 */
#include <stdio.h>

#include <jansson.h>

void junit_write(const json_t *document, FILE *to);
