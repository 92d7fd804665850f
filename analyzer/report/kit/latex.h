#pragma once
/*
 * latex - writes plots as tables and figures of LaTeX, with captions. The LaTeX needs the packages
 * booktabs and graphicx. Pure.
 */
#include <stdio.h>

#include "analyzer/report/kit/plots.h"
#include "base/buf.h"

/* Appends an untrusted text, shown literally. Characters that pdfLaTeX may lack become '?'. */
void latex_put_text(struct buf *to, const char *text);

/* Writes the tables, then a figure for each plot. */
void latex_write(const struct plots *all, FILE *to);
