#pragma once
/*
 * exhibit - one pair of answers as a document: what was asked, what both sides said, what is to be
 * said of the difference, and their tokens beside each other. docs/analyze.schema.json describes it.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"
#include "capture/capture.h"

/* Reads the pick's answers again. room: working space. NULL: they can't be read any more. */
json_t *exhibit_make(struct capture *c, const struct analysis_group *g, const struct pick *pick,
        struct meaning_room *room);
