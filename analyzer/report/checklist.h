#pragma once
/*
 * checklist - what a publication should state about each inference stack, and what is known of it:
 * the stacks of docs/manifest.md for people. They may come from a saved document and are not
 * trusted.
 */
#include <stdio.h>

#include <jansson.h>

#include "analyzer/report/writer.h"

/* manifest: {"stacks": [...]}. On a terminal, or as Markdown. */
void checklist_write(const json_t *manifest, enum writer_form form, FILE *to);
