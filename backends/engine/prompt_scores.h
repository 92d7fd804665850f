#pragma once
/*
 * prompt_scores - what the model thinks of its prompt, as vLLM's prompt_logprobs tells it: null for
 * the first token, then of each position an object of id to logprob, rank and text, with the prompt's
 * own token first.
 */
#include "backends/engine/generation.h"
#include "backends/engine/pen.h"

/* Writes the array as a value. */
void prompt_scores_put(struct pen *p, const struct generation *g);
