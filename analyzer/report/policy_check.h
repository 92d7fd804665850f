#pragma once
/*
 * policy_check - checks whether an analysis fulfils a policy.
 *
 * The results become a member of the document, "policy", so that every form can show them.
 */
#include <stdio.h>

#include "analyzer/report/policy.h"

enum policy_result {
	POLICY_RESULT_PASS,
	POLICY_RESULT_FAIL,
	POLICY_RESULT_NOT_ENOUGH, /* no rule fails, but some have too little data */
};

/* Sets document's "policy". */
enum policy_result policy_check(const struct policy *p, json_t *document);
/* From a document's "policy"; PASS if there is none, NOT_ENOUGH if it is not valid. */
enum policy_result policy_result_of(const json_t *document);
