#pragma once
/*
 * plots - makes the figures of a publication that a document has data for: those of "The Silent
 * Hyperparameter" in its shapes, then those of the report's page. Every number is a member of the
 * document, or the ratio of two members.
 */
#include <jansson.h>

#include "analyzer/report/kit/plot.h"

struct plots {
	struct plot *items;
	size_t n;
};

void plots_read(const json_t *document, struct plots *ret);
void plots_finish(struct plots *all);
