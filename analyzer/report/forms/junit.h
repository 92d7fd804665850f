#pragma once
/*
 * junit - writes an analysis as a JUnit report for CI servers: a test case for each result in its
 * "policy" (policy_check.h), and for each alarm if alarms fail the policy; without a policy, a test
 * case for each pair of backends that groups.h shows. An undecided case is reported as skipped,
 * unless it counts as failed. Errors of writing remain in `to` (ferror()).
 */
#include <stdio.h>

#include <jansson.h>

void junit_write(const json_t *document, FILE *to);
