#pragma once
/*
 * recipe_parts - what recipe_options.c (options) and recipe_settle.c (words) share. For these alone.
 */
#include "cli/recipes/recipe.h"

/* A suite's name, a file or a capture. NULL, or the problem (the caller frees it); of the second, too. */
char *recipe_take_source(struct recipe *r, const char *word) MUST_CHECK;
/* When all options are known. */
char *recipe_settle(struct recipe *r) MUST_CHECK;
