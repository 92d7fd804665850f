#pragma once
/*
 * ground_truth - shows the ground truth of the simulated model: the tokens of a text, and the exact
 * distribution at each position. docs/engine.md describes the requests. Loop thread only.
 */
#include "backends/engine/ask.h"
#include "backends/engine/engine_client.h"

/* Each appends the answer's JSON to *to. False: *ret_problem says why not. */
typedef bool (*truth_fn)(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem);
bool ground_truth_tokenize(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem) MUST_CHECK;
/* As ground_truth_tokenize(), with ids only: {"count", "tokens"}. A text prompt begins with BOS
 * unless add_special_tokens is false. */
bool ground_truth_ids(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem) MUST_CHECK;
/* Appends the exact distribution at the position that the request names, as JSON. */
bool ground_truth_distribution(const struct worker *w, const struct request *r, struct buf *to,
        struct ask_problem *ret_problem) MUST_CHECK;
