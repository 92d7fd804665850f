#pragma once
/*
 * document_partial_content - what was compared of captures that do not hold all, for the reports.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"

json_t *report_partial_content_json(const struct partial_content *k); /* null where all is kept */
