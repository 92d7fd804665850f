#pragma once
/*
 * draws_request - what a request asks for that makes its answer no plain draw from what the engine states.
 *
 * The body is a client's, so anybody's: what is no JSON of the known forms says nothing. Pure.
 */
#include "analyzer/rows/draws_row.h"
#include "base/buf.h"

/* DRAWS_COUNTS: nothing. */
enum draws_exclusion draws_request_read(struct span body);
