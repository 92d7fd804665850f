#pragma once
/*
 * policy_words - the results in a document's "policy" in words.
 *
 * A result is an item of its "rules"; the document is not trusted, and missing members are empty.
 */
#include <jansson.h>

#include "base/buf.h"

/* "differ over the noise floor, prod against trusted, category number" */
void policy_words_subject(const json_t *verdict, struct buf *to);
/* "prod against trusted", "prod", or "" for the whole capture */
void policy_words_sides(const json_t *verdict, struct buf *to);
/* "4.1 % [3.0 to 5.4]", or "no figure" */
void policy_words_measured(const json_t *verdict, struct buf *to);
void policy_words_limit(const json_t *verdict, struct buf *to); /* "at most 2.0 %" */
/* "passes: all 5 rules hold", "fails: 2 of 5 rules" */
/* A sentence, without a full stop, about an alarm in the policy's list. */
void policy_words_alarm(const json_t *alarm, struct buf *to);
void policy_words_summary(const json_t *policy, struct buf *to);
