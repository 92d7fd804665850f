#pragma once
/*
 * engine_detection - recognises the engine at a URL by GETs alone.
 *
 * The paths come from the dialects' signs. Each is requested once, in the order in which they help
 * most (models, version, props, ...), for at most 2 s. Nothing generates, nothing changes state. If
 * a server gives no complete answer, the first two timeouts end it.
 */
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/identity.h"

/* timeout_ms: for each GET; 0: 2000. */
struct identity *engine_detect(struct call_line *c, uint64_t timeout_ms);
/* As engine_detect(); on_path is called before each request. */
typedef void (*engine_detect_path_fn)(void *arg, const char *path);
struct identity *engine_detect_watched(
        struct call_line *c, uint64_t timeout_ms, engine_detect_path_fn on_path, void *arg);
/*
 * For callers that must not disturb running answers. An engine that handles one request at a time
 * (ABILITY_ONE_AT_A_TIME) aborts its answer when it is asked for its models. Therefore
 * /openapi.json comes first; if it names such an engine, nothing else is requested and no models
 * are known. Otherwise as engine_detect().
 */
struct identity *engine_detect_gently(struct call_line *c, uint64_t timeout_ms);
