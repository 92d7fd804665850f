#pragma once
/*
 * plots - makes the figures of a publication for which a document has data: first those of "The
 * Silent Hyperparameter" (arXiv 2605.19537), drawn as in the paper, then those of the report's
 * page. It estimates nothing: each number is a member of the document, or follows from members by
 * a division or a subtraction. The document is not trusted. Pure.
 */
#include <jansson.h>

#include "analyzer/report/kit/plot.h"

struct plots {
	struct plot *items;
	size_t n;
};

/* Overwrites *ret; the caller frees it with plots_finish(). */
void plots_read(const json_t *document, struct plots *ret);
void plots_finish(struct plots *all);
