#pragma once
/*
 * junit - writes an analysis as a JUnit report for CI servers: a test case for each rule of the
 * policy and each pair of backends that it applies to; without a policy, one for each pair of
 * backends. Undecided cases are skipped, unless they count as failed.
 */
#include <stdio.h>

#include <jansson.h>

void junit_write(const json_t *document, FILE *to);
