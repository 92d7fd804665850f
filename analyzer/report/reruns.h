#pragma once
/*
 * reruns - in words: what a backend answers to the same prompt again and again. Of the document's member, which anybody may have
 * written. Pure.
 */
#include <stdio.h>

#include <jansson.h>

#include "base/buf.h"

/* One sentence; nothing where nothing is known. */
void reruns_sentence(const json_t *reruns, struct buf *to);
void reruns_text(const json_t *reruns, FILE *to);
void reruns_markdown(const json_t *reruns, struct buf *to);
