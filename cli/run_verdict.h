#pragma once
/*
 * run_verdict - stores the verdict of a recipe in a file of its capture's directory
 * (docs/format.md), since the capture itself has no verdict.
 */
#include <jansson.h>

#include "base/check.h"

#define RUN_VERDICT_FILE "verdict.json"

/* Saves the members "recipe" and "verdict" of an analysis. Returns 0 or -errno. */
int run_verdict_save(const char *dir, const json_t *document) MUST_CHECK;
/* SAME, DIFFERENT or UNCLEAR; "-": dir has no readable verdict. A static text. */
const char *run_verdict_read(const char *dir);
/* If a recipe with rules of its own for the verdict stored one in dir, adds it to the limits of an
 * analysis that does not have these rules. */
void run_verdict_add(json_t *document, const char *dir);
