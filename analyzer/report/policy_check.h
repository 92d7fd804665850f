#pragma once
/*
 * policy_check - whether an analysis fulfils a policy.
 *
 * The verdicts are a member of the document, "policy", so that every form of it can show them.
 */
#include <stdio.h>

#include "analyzer/report/policy.h"

enum policy_result {
	POLICY_RESULT_PASS,
	POLICY_RESULT_FAIL,
	POLICY_RESULT_NOT_ENOUGH, /* no rule fails, but of some there was too little data */
};

/* Sets document's "policy". */
enum policy_result policy_check(const struct policy *p, json_t *document);
/* As a document's "policy" says; PASS where there is none, NOT_ENOUGH where it says something else. */
enum policy_result policy_result_of(const json_t *document);
