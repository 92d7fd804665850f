#pragma once
/*
 * policy_alarms - the analysis's alarms (figures above the noise floor, at one familywise level), as a
 * policy sees them: with the least size that matters to it.
 */
#include "analyzer/report/policy.h"

/* Puts on_alarm and the list of alarms into *policy. True: one of them fails the policy. */
bool policy_alarms_note(const struct policy *p, const json_t *document, json_t *policy);
