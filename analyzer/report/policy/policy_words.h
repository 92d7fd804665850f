#pragma once
/*
 * policy_words - describes in words the member "policy" of a document, which is not trusted;
 * missing members are empty. verdict: an item of its "rules". Each function appends a text.
 */
#include <jansson.h>

#include "base/buf.h"

/* "differ over the noise floor, prod against trusted, category number" */
void policy_words_subject(const json_t *verdict, struct buf *to);
/* "prod against trusted", "prod", or "" for the whole capture */
void policy_words_sides(const json_t *verdict, struct buf *to);
/* "4.1 % [3.0 to 5.4]", or "not known" */
void policy_words_measured(const json_t *verdict, struct buf *to);
void policy_words_limit(const json_t *verdict, struct buf *to); /* "at most 2.0 %" */
/* A sentence, without a full stop, about an item of the policy's "alarms". */
void policy_words_alarm(const json_t *alarm, struct buf *to);
/* "passes in all 5 checks", "fails in 2 of 5 checks; 1 is undecided; 1 alarm" */
void policy_words_summary(const json_t *policy, struct buf *to);
