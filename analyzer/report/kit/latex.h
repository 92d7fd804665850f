#pragma once
/*
 * latex - plots as tables and figures of LaTeX, with captions. Needs the packages booktabs and
 * graphicx. Pure.
 */
#include <stdio.h>

#include "analyzer/report/kit/plots.h"
#include "base/buf.h"

/* Appends an untrusted text, shown literally. Characters that pdfLaTeX may lack become '?'. */
void latex_put_text(struct buf *to, const char *text);

/* The tables, then a figure for each plot. */
void latex_write(const struct plots *all, FILE *to);
