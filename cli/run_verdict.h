#pragma once
/*
 * run_verdict - the verdict of a recipe, in a file of the directory that it recorded
 * (docs/format.md); the capture itself has no verdict.
 */
#include <jansson.h>

#include "base/check.h"

#define RUN_VERDICT_FILE "verdict.json"

/* Saves "recipe" and "verdict" of an analysis. Returns 0 or -errno. */
int run_verdict_save(const char *dir, const json_t *document) MUST_CHECK;
/* SAME, DIFFERENT, UNCLEAR, or "-" if there is none. */
const char *run_verdict_read(const char *dir);
