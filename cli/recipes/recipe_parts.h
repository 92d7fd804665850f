#pragma once
/*
 * recipe_parts - reads the words of a command line, and grades answers. For recipe*.c only.
 */
#include "cli/recipes/recipe.h"

/* Adds a source: a suite's name, a file or a capture. Returns NULL, or the problem. */
char *recipe_add_source(struct recipe *r, const char *word) MUST_CHECK;
/* Reads the words that are no options: sources and targets. Call when all options are read. Returns
 * NULL, or the problem. */
char *recipe_arguments(struct recipe *r) MUST_CHECK;
/* Grades the campaign's answers to mathematical tasks (analyzer/annotate/grade_answers.h). If that
 * is impossible, prints why on standard error. */
void recipe_grade(const struct recipe *r);
