#pragma once
/*
 * recipe_parts - what recipe_options.c (flags) and recipe_settle.c (words) share. For these alone.
 */
#include "commands/recipe.h"

/* A suite's name, a file or a capture. NULL, or the problem (the caller frees it); of the second, too. */
char *recipe_take_source(struct recipe *r, const char *word) MUST_CHECK;
/* When all flags are known. */
char *recipe_settle(struct recipe *r, const struct operands *rest) MUST_CHECK;
