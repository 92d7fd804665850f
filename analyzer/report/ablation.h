#pragma once
/*
 * ablation - in words: which switch carries a difference. Of the document's member, which anybody may have written. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* One sentence or more; nothing where nothing is known. */
void ablation_sentence(const json_t *ablation, struct buf *to);
