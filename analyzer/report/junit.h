#pragma once
/*
 * junit - an analysis as a JUnit report for CI servers: a test case for each rule of the policy and
 * each subject; without a policy one for each pair of backends. Undecided ones are skipped, unless
 * they count as failed.
 */
#include <stdio.h>

#include <jansson.h>

void junit_write(const json_t *document, FILE *to);
