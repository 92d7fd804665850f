#pragma once
/*
 * trial_facets - the properties of an exchange by which its pairs are told apart. Private to the
 * analyzer.
 */
#include "analyzer/facet.h"
#include "capture/capture.h"

/* base and test: legs of e; category: of the prompt. */
void trial_facets(struct facets *f, const struct capture_exchange *e, const char *category,
        size_t base, size_t test, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct tally_facts *facts);
