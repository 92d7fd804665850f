#pragma once
/*
 * facet_row - by which properties of a row its answers are told apart.
 */
#include "analyzer/fold/facet.h"
#include "analyzer/rows/rows.h"

void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts);
