#pragma once
/*
 * policy_words - the verdicts of a document's "policy" as the forms say them.
 *
 * A verdict is an item of its "rules"; what lacks in a hostile one is said as if it were empty.
 */
#include <jansson.h>

#include "base/buf.h"

/* "differ over the noise floor, prod against trusted, category number" */
void policy_words_subject(const json_t *verdict, struct buf *to);
/* "prod against trusted", "prod", or "" of the whole capture */
void policy_words_sides(const json_t *verdict, struct buf *to);
/* "4.1 % [3.0 to 5.4]", or "no figure" */
void policy_words_measured(const json_t *verdict, struct buf *to);
void policy_words_limit(const json_t *verdict, struct buf *to); /* "at most 2.0 %" */
/* "passes: all 5 rules hold", "fails: 2 of 5 rules" */
/* An alarm of the policy's list, in a sentence without a full stop. */
void policy_words_alarm(const json_t *alarm, struct buf *to);
void policy_words_summary(const json_t *policy, struct buf *to);
