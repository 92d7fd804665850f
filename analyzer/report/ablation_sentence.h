#pragma once
/*
 * ablation_sentence - describes in words which switches cause a difference. The document is not
 * trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* ablation: member "ablation" of a document. Appends one sentence or more; nothing if there is
 * no result. */
void ablation_sentence(const json_t *ablation, struct buf *to);
