#pragma once
/*
 * latex - writes plots as tables and figures of LaTeX, with captions. The LaTeX needs the packages
 * booktabs and graphicx. Pure.
 */
#include <stdio.h>

#include "analyzer/report/kit/plots.h"

/* Writes the tables, then a figure for each plot. */
void latex_write(const struct plots *all, FILE *to);
