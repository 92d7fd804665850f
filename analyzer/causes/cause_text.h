#pragma once
/*
 * cause_text - a cause that was found, in words: what it is, what one would try, what would confirm
 * it. Private to the causes.
 */
#include "analyzer/causes/cause_tests.h"

struct cause_finding {
	enum cause_kind kind;
	enum cause_side side;
	enum cause_test test; /* N_CAUSE_TESTS: none was needed */
};

/* The texts are the caller's. */
void cause_text(const struct analysis_group *g, const struct cause_tests *t,
        const struct cause_finding *f, struct cause *ret);
