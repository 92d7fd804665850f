#pragma once
/*
 * draws_request - finds parameters of a request that exclude its answer from the examination of
 * draws.
 *
 * The body comes from a client and is not trusted: anything but JSON of the known forms is ignored.
 * Pure.
 */
#include "analyzer/rows/draws_row.h"
#include "base/buf.h"

/* Returns DRAWS_COUNTS if there is no such parameter. */
enum draws_exclusion draws_request_read(struct span body);
