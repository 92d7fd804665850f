#pragma once
/*
 * document_reruns - what reruns tell, for machines. docs/recipes.md defines the figures; names are stable.
 */
#include <jansson.h>

#include "analyzer/reruns.h"

/* levels[n]: requests in flight of each level; 0: what is usual. */
json_t *report_reruns_json(
        const struct reruns *r, const char *backend, const unsigned *levels, size_t n);
