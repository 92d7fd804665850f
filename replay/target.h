#pragma once
/*
 * target - the backend that a replay sends to. Constant while it runs; the strings are the caller's.
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
	int top;                        /* alternatives a token to ask for */
	bool want_logprobs, want_usage; /* asked for where the client did not */
	uint64_t timeout;               /* ns of silence */
};

/* Where a request goes: under the base path, which is not put twice before it, and without parameters
 * named like a key, which were meant for another backend. recast: a chat that is sent as a completion. The caller
 * frees it. */
char *target_path(const struct target *t, const char *target, bool recast);
