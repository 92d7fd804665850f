#pragma once
/*
 * exhibit_judges - what judge models said of the pair that an exhibit shows. Private to exhibits.
 */
#include <jansson.h>

#include "analyzer/compare/pair.h"

/* [{name, verdict}], by judge; NULL: none said anything in both orders. choice: the index of both. */
json_t *exhibit_judges(struct capture *c, const struct capture_exchange *e, const struct pair *pair,
        int32_t choice);
