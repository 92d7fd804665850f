#pragma once
/*
 * kit - writes a directory for a publication: each figure of an analysis as SVG and CSV, tables for
 * LaTeX, the reporting checklist, and a README that names every file. It contains no prompts and no
 * answers.
 */
#include <jansson.h>

#include "base/check.h"

/* Returns 0 if the directory is absent, empty or an earlier kit; -ENOTEMPTY if it has other
 * files; another -errno if it cannot be read. */
int kit_check(const char *dir) MUST_CHECK;

/* Writes the kit of an analysis into the directory; replaces an earlier kit. Creates the directory
 * if it is absent, but not its parents. Returns 0, or -errno of the first error, also those of
 * kit_check(). After an error the kit may be incomplete. */
int kit_write(const json_t *document, const char *dir) MUST_CHECK;
