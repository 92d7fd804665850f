#pragma once
/*
 * junit - writes an analysis as a JUnit report for CI servers: a test case for each rule of the
 * policy and each pair of backends to which the rule applies; without a policy, a test case for
 * each pair of backends. An undecided case is reported as skipped, unless it counts as failed.
 */
#include <stdio.h>

#include <jansson.h>

void junit_write(const json_t *document, FILE *to);
