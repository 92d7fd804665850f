#pragma once
/*
 * junit - an analysis as a JUnit report, which CI servers read: a test case for each rule of the policy and what it was held
 * against; without a policy one for each pair of backends. Undecided ones are skipped, unless they count as failed.
 */
#include <stdio.h>

#include <jansson.h>

void junit_write(const json_t *document, FILE *to);
