#pragma once
/*
 * prompt_scores - writes the model's probabilities of its prompt, in the form of vLLM's
 * prompt_logprobs: null for the first token, then for each position an object from id to logprob,
 * rank and text, which begins with the prompt's own token.
 */
#include "backends/engine/generation.h"
#include "base/json_writer.h"

/* Writes the array; key as in json_writer.h. */
void prompt_scores_put(struct json_writer *w, const char *key, const struct generation *g);
