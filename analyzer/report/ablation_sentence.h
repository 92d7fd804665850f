#pragma once
/*
 * ablation_sentence - describes in words which switches (factors of `plumbline ablate`) cause a
 * difference. The document is not trusted. Pure.
 */
#include <jansson.h>

#include "base/buf.h"

/* Appends one sentence or more; nothing if there is no result. ablation: the member "ablation" of a
 * document. */
void ablation_sentence(const json_t *ablation, struct buf *to);
