#pragma once
/*
 * checklist - writes what a publication should state about each inference stack, and what is known
 * of it: the stacks of docs/manifest.md, for people. They may come from a saved document and are
 * not trusted.
 */
#include <stdio.h>

#include <jansson.h>

#include "analyzer/report/writer.h"

/* manifest: {"stacks": [...]}. form: WRITER_TEXT or WRITER_MARKDOWN. */
void checklist_write(const json_t *manifest, enum writer_form form, FILE *to);
