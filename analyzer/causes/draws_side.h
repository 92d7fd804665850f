#pragma once
/*
 * draws_side - finds faults in how one of two compared sides draws its tokens, if the other side
 * does not have the same fault. A fault that both sides have is not a difference. Pure.
 */
#include "analyzer/causes/draws_text.h"

/*
 * The group of `side` that has the finding (of several replicas, the first one). NULL: there is
 * none, or the draws of `other` are compatible with the same finding; a side without draws is
 * compatible with none. If `side` and `other` are one name (a backend that scored its own answers),
 * any finding counts. d may be NULL; the result points into d.
 */
const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f);
/* The finding as part of a sentence: "a temperature of 0.60 that was not requested". The caller
 * frees it. */
char *draws_side_phrase(const struct draws_group *g, enum draws_finding f);
