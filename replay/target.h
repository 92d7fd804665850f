#pragma once
/*
 * target - the backend that a replay sends to. It does not change while the replay runs; the caller
 * owns the strings.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/copy_body.h"
#include "backends/dialect.h"
#include "base/id.h"
#include "capture/record.h"

struct target {
	const char *name, *url;                         /* url without credentials */
	const char *base_path;                          /* "" or "/base" */
	const char *ca_file, *api_key, *replica_header; /* or NULL */
	enum role role;
	const struct dialect *dialect;
	struct id manifest;
	struct copy_rules rules;
	int top;                        /* number of alternatives to request for each token */
	bool want_logprobs, want_usage; /* request them even if the client did not */
	uint64_t timeout;               /* ns; the longest silence of the engine */
};

/* The path of a request to the target. target: path and query as the client sent them. The base
 * path is put in front unless it is there already. Query parameters whose names look like a
 * key's are removed, since they belong to another backend. recast: a chat is sent as a
 * completion. The caller frees the result. */
char *target_path(const struct target *t, const char *target, bool recast);
