#pragma once
/*
 * standings - several targets before one base, side by side: the figures of "The Silent Hyperparameter" on one's own engines,
 * each with its interval and beside it what the target and the base differ from themselves.
 *
 * Made of a document's groups. The paper tells its figures by captions alone: they are as docs/metrics.md defines them, which is
 * our reading of these. Pure.
 */
#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/buf.h"

/* The standings of the targets that stand on trial before base, in the order of the names; the
 * caller's. Of a sweep, whose targets are precisions from the finest on, they say where the cliff is. */
json_t *standings_make(const json_t *document, const char *base, const char *const *names, size_t n,
        bool is_sweep);
/* Tables of standings, which may be a saved one's; nothing where it has no rows. */
void standings_text(const json_t *standings, FILE *to);
void standings_markdown(const json_t *standings, struct buf *to);
/* Each stack's reporting checklist, folded, as far as the limit of bytes goes; nothing where there is none. */
void standings_checklists(const json_t *document, size_t limit, struct buf *to);
