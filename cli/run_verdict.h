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
