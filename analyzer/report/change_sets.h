#pragma once
/*
 * change_sets - what came and what went between two analyses: causes, stacks, verdicts of a policy. Private to report/change.c.
 */
#include <stdbool.h>

#include <jansson.h>

/* {new, gone} of two groups: causes by their key, {key, text}; stacks by their names. */
json_t *change_causes(const json_t *before, const json_t *after);
json_t *change_stacks(const json_t *before, const json_t *after);

/* {before, after, changed} of two documents: results, and the verdicts that are not what they were. */
json_t *change_policy(const json_t *before, const json_t *after);
/* A rule fails that did not, or was not decided. */
bool change_policy_fails(const json_t *policy_change);
