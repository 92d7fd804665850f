#pragma once
/*
 * draws_side - what one of two compared sides does wrong in drawing its tokens, and the other
 * does not. Findings that both share are no difference. Pure.
 */
#include "analyzer/causes/draws_text.h"

/*
 * The group of that side that has the finding (of several replicas the first one), where the
 * other side's draws do not allow the same; a side without draws allows nothing. Where both are
 * one backend, which scored its own answers, what it has. NULL: there is none.
 */
const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f);
/* "a temperature of 0.60 that was not requested"; the caller frees it. */
char *draws_side_phrase(const struct draws_group *g, enum draws_finding f);
