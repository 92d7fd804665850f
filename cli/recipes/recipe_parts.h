#pragma once
/*
 * recipe_parts - what the parts of a recipe share: recipe.c, recipe_options.c (options),
 * recipe_arguments.c (words), recipe_grade.c. For these alone.
 */
#include "cli/recipes/recipe.h"

/* Adds a suite's name, a file or a capture. Returns NULL, or the problem; the caller frees it.
 * recipe_arguments() likewise. */
char *recipe_take_source(struct recipe *r, const char *word) MUST_CHECK;
/* Call when all options are known. */
char *recipe_arguments(struct recipe *r) MUST_CHECK;
/* Grades the answers of the campaign whose right answer is a mathematical value. What prevents it
 * is said on standard error. */
void recipe_grade(const struct recipe *r);
