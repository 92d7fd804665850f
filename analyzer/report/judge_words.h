#pragma once
/*
 * judge_words - what a judge model said of undecided answers, in words that say whose they are.
 */
#include <jansson.h>

#include "base/buf.h"

/* judge: of a split's judges. Sentences; nothing for what is none. */
void judge_words(const json_t *judge, struct buf *to);
