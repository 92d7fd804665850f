#pragma once
/*
 * target - the backend that a replay sends to. Constant while it runs; the caller owns the strings.
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
	bool want_logprobs, want_usage; /* requested where the client did not */
	uint64_t timeout;               /* limit of silence, ns */
};

/* The path of a request. The base path is put in front unless it is there already, and query
 * parameters named like a key are removed, since they belong to another backend. recast: a chat
 * that is sent as a completion. The caller frees it. */
char *target_path(const struct target *t, const char *target, bool recast);
