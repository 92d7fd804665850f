#pragma once
/*
 * draws_request - finds parameters of a request that exclude its answer from the sums of
 * draws_row.h, such as a grammar or a logit bias.
 */
#include "analyzer/rows/draws_row.h"
#include "base/buf.h"

/* body: of the request; empty: unknown. Returns the reason for the exclusion; DRAWS_COUNTS: there
 * is no such parameter. Pure. */
enum draws_exclusion draws_request_read(struct span body);
