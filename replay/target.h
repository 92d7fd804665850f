#pragma once
/*
 * target - one backend that a replay sends to. It does not change while the replay runs; the caller
 * owns the strings.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/copy_body.h"
#include "backends/transport/upstream.h"
#include "backends/dialects/dialect.h"
#include "base/id.h"
#include "capture/record.h"

struct target {
	const char *name, *url;                         /* url without credentials */
	const char *base_path;                          /* "" or "/base" */
	const char *ca_file, *api_key, *replica_header; /* or NULL */
	enum role role;                                 /* of the legs that are recorded */
	const struct dialect *dialect;
	struct id manifest;      /* to which these legs refer; zero: none */
	struct copy_rules rules; /* how bodies are converted for it */
	/* number of alternatives (most probable tokens) to request at each position; 0: none */
	int top;
	/* request logprobs, or token counts, even if the client did not */
	bool want_logprobs, want_usage;
	uint64_t timeout; /* ns; the longest time without a byte from the engine */
};

/* The path and query of a request to the target; the caller frees it. path_and_query: as the client
 * sent them. base_path is put in front, unless the path begins with it already. recast: a chat is
 * sent as a completion, so /chat/completions becomes /completions. Query parameters whose names
 * look like a key's are left out, since they belong to another backend. */
char *target_path(const struct target *t, const char *path_and_query, bool recast);

/* The path and query of a chat or a completion at an engine: /v1/chat/completions for a gateway's
 * /api/v1/chat/completions. For another endpoint: a copy. The caller frees the text. */
char *target_of_engine(const char *path_and_query);

struct target_post {
	const char *path;  /* from target_path() */
	const char *agent; /* the User-Agent */
	bool stream;       /* the client wants a stream */
	struct span body;  /* as in struct upstream_request */
};
/* Starts a POST of a JSON body, with the target's key. Returns 0, or a negative errno. */
int target_post(const struct target *t, struct upstream *u, const struct target_post *p) MUST_CHECK;
