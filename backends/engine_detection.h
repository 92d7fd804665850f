#pragma once
/*
 * engine_detection - recognises the engine at a URL by GETs alone.
 *
 * It requests each path in the dialects' signs once, for at most 2 s, and the most useful paths
 * first (models, version, props, ...). No request makes the engine generate or changes its state.
 * If the server gives no complete answer, detection ends after two timeouts. The caller destroys
 * the identity.
 */
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/engine_identity.h"

/* timeout_ms: of each GET; 0: 2000. */
struct engine_identity *engine_detect(struct call_line *c, uint64_t timeout_ms);
/* As engine_detect(). It also calls on_path before each request. */
typedef void (*engine_detect_path_fn)(void *arg, const char *path);
struct engine_identity *engine_detect_watched(
        struct call_line *c, uint64_t timeout_ms, engine_detect_path_fn on_path, void *arg);
/*
 * For callers that must not disturb running answers. An engine that handles one request at a time
 * (ABILITY_ONE_AT_A_TIME) aborts its answer when another request asks for its models. Therefore
 * this function requests /openapi.json first. If that shows such an engine, it requests nothing
 * else and finds no models; otherwise it continues as engine_detect().
 */
struct engine_identity *engine_detect_gently(struct call_line *c, uint64_t timeout_ms);
