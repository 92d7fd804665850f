#pragma once
/*
 * verdict - the exit code of an analysis, for all commands that judge.
 */
#include "analyzer/report/policy_check.h"

int verdict_of_policy(enum policy_result r);
/* From the document: its policy, else its verdict. */
int verdict_of_document(const json_t *document);
