#pragma once
/*
 * recipe_standings - how recipes over several targets end: the standings before the base and the stacks' checklists, beside the analysis
 * of each pair.
 */
#include "cli/recipes/recipe.h"

/* As recipe_report(). */
int recipe_standings_report(struct recipe *r) MUST_CHECK;
