#pragma once
/*
 * recipe_standings - the report of recipes with several targets: standings against the base, beside
 * the analysis of each pair.
 */
#include "cli/recipes/recipe.h"

/* As recipe_report(). */
int recipe_standings_report(struct recipe *r) MUST_CHECK;
