#pragma once
/*
 * report_parts - what report_text.c and report_table.c share. Private to these two.
 */
#include "analyzer/report/document.h"

/* The figures by split, with a legend; nothing when no answers were compared. */
void report_table(const struct analysis_group *g, FILE *to);
