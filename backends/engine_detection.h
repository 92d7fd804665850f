#pragma once
/*
 * engine_detection - recognises the engine at a URL by GETs alone.
 *
 * It requests each path in the dialects' signs once, the most useful paths first (models, version,
 * props, ...). No request changes the engine's state. /health, which makes some engines generate a
 * token, is requested only if the others show no likely dialect. Detection ends after three
 * requests without an answer; after two if no request has got a complete answer so far; at once if
 * the first connection is refused.
 */
#include <stdint.h>

#include "backends/engine_identity.h"
#include "backends/transport/call.h"

struct engine_detection {
	uint64_t timeout_ms; /* of each GET; 0: 2 s */
	/*
	 * Does not disturb running answers: an engine that handles one request at a time
	 * (ABILITY_ONE_AT_A_TIME) aborts its answer when another request asks for its models. So
	 * /openapi.json comes first; if it shows such an engine, nothing else is requested, and no
	 * models are found.
	 */
	bool gently;
	void (*on_path)(void *arg, const char *path); /* called before each request; or NULL */
	void *arg;
};

/* Blocks; call_line_stop() ends it early. Never returns NULL: without an answer, the identity's
 * `problem` says why. The caller destroys the identity. */
struct engine_identity *engine_detect(struct call_line *c, const struct engine_detection *settings);
