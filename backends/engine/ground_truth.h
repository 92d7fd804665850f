#pragma once
/*
 * ground_truth - shows the ground truth of the simulated model: the tokens of a text, and the exact
 * distribution at each position. docs/engine.md describes the requests. Loop thread only.
 */
#include "backends/engine/engine_request.h"
#include "backends/engine/engine_client.h"

/* Each appends the answer's JSON to *to. False: *ret_problem says why not. */
typedef bool (*truth_fn)(const struct worker *w, const struct http_request *r, struct buf *to,
        struct engine_problem *ret_problem);
/* The ids of a prompt: {"count", "tokens"}, as in vLLM. A text begins with BOS unless
 * add_special_tokens is false. */
bool ground_truth_tokenize(const struct worker *w, const struct http_request *r, struct buf *to,
        struct engine_problem *ret_problem) MUST_CHECK;
/* The distribution at each position of a continuation, with the noise and quantising of the
 * request's faults unless "exact" is true. */
bool ground_truth_distribution(const struct worker *w, const struct http_request *r, struct buf *to,
        struct engine_problem *ret_problem) MUST_CHECK;
