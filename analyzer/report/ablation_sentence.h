#pragma once
/*
 * ablation_sentence - describes in words which switch causes a difference. Reads the document,
 * which is not trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence or more; appends nothing if the document has no result. */
void ablation_sentence(const json_t *ablation, struct buf *to);
