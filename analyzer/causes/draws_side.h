#pragma once
/*
 * draws_side - finds faults in how one of two compared sides draws its tokens, if the other side
 * does not have the same fault. A fault that both sides have is not a difference. Pure.
 */
#include "analyzer/causes/draws_text.h"

/*
 * Returns the group of `side` that has the finding (the first one of several replicas), unless the
 * draws of `other` are compatible with the same finding; a side without draws is compatible with
 * none. If `side` and `other` are one name (a backend that scored its own answers), any finding
 * counts. NULL: there is no such group. d may be NULL; the result points into d.
 */
const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f);
/* "a temperature of 0.60 that was not requested"; the caller frees it. */
char *draws_side_phrase(const struct draws_group *g, enum draws_finding f);
