#pragma once
/*
 * document_forced - the teacher-forced figures.
 */
#include <jansson.h>

#include "analyzer/fold/forced.h"

/* An array with an object for each group. */
json_t *report_forced_json(const struct forced *f);
