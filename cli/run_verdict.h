#pragma once
/*
 * run_verdict - stores the report of a recipe in a file of its capture's directory
 * (docs/format.md): the verdict, and all that plumbline analyze does not compute from the capture.
 * A second, small file has only the recipe and the verdict, so that these are read fast.
 */
#include <stdbool.h>

#include <jansson.h>

#include "base/check.h"

#define RUN_REPORT_FILE "report.json"
#define RUN_VERDICT_FILE "verdict.json"

/* Saves both files, without prompts and answers. Returns 0 or -errno. */
int run_verdict_save(const char *dir, const json_t *document) MUST_CHECK;
/* SAME, DIFFERENT or UNCLEAR; "-": dir has no readable verdict. A static text. */
const char *run_verdict_read(const char *dir);
/* True if dir has RUN_REPORT_FILE; earlier versions of recipes did not write it. */
bool run_verdict_has_report(const char *dir);
/* For an analysis of dir. If a recipe that judges by its own rules stored a report there, inserts
 * the command that prints this report as the first of the document's next steps. */
void run_verdict_add(json_t *document, const char *dir);
