#pragma once
/*
 * recipe_standings - the report of recipes with several targets: a table of all targets against the
 * base, and the analysis of each pair.
 */
#include "cli/recipes/recipe.h"

/* Like recipe_report(). */
int recipe_standings_report(struct recipe *r) MUST_CHECK;
