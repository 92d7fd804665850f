#pragma once
/*
 * verdict - the exit code that follows from an analysis, for the commands that judge.
 */
#include "analyzer/report/policy_check.h"

int verdict_of_policy(enum policy_result r);
/* By the document alone: its policy, else its verdict. */
int verdict_of_document(const json_t *document);
