#pragma once
/*
 * identify - which engine answers at a URL, told by GETs alone.
 *
 * The paths come from the dialects' signs, each asked once, in the order of wire knowledge (models,
 * version, props, ...), 2 s each at most. Nothing that generates, nothing that changes state. A
 * server of which no answer comes, or none comes to its end, ends it after the first two timeouts.
 */
#include <stdint.h>

#include "backends/transport/call.h"
#include "backends/identity.h"

/* timeout_ms: of each GET; 0: 2000. */
struct identity *identify(struct call_line *c, uint64_t timeout_ms);
/* The same; each path is told before it is asked. */
typedef void (*identify_path_fn)(void *arg, const char *path);
struct identity *identify_watched(
        struct call_line *c, uint64_t timeout_ms, identify_path_fn on_path, void *arg);
/*
 * For who may not disturb what runs there. An engine that bears one request at a time
 * (ABILITY_ONE_AT_A_TIME) breaks off the answer that it is giving when it is asked for its models:
 * so /openapi.json comes first, and if that names such an engine, nothing else is asked and no
 * models are known. Else as identify().
 */
struct identity *identify_gently(struct call_line *c, uint64_t timeout_ms);
