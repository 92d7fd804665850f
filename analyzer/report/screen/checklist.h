#pragma once
/*
 * checklist - writes, for people, what is known of each inference stack and what a publication
 * should state about it. docs/manifest.md describes the data. They may be those of a saved document
 * and are not trusted.
 */
#include <stdio.h>

#include <jansson.h>

#include "analyzer/report/screen/writer.h"

/* manifest: {"stacks": [...]}; without stacks it writes nothing. form: WRITER_TEXT or
 * WRITER_MARKDOWN. */
void checklist_write(const json_t *manifest, enum writer_form form, FILE *to);
