#pragma once
/*
 * engine_watch - one thread that asks each backend slowly who it is: at the start, every poll interval, and
 * soon after an answer that tells of another engine.
 *
 * It sends GETs, and POSTs that only tell (Ollama's /api/show), with the proxy's own key of that
 * backend; nothing that generates. A backend with `poll: off` is never asked. What is learned goes
 * into the backend's stack; where that changed, what its answers have shown is forgotten.
 *
 * An engine that bears one request at a time (llama-cpp-python) ends a running stream early when it
 * is asked for its models: it is known by /openapi.json, which disturbs nothing, and then asked
 * nothing else; and one that is configured or known as such is asked only while none of our own
 * requests to it is under way.
 */
#include <stdint.h>

struct kinds;
struct config_snapshot;
struct backend_state;
struct engine_watch;

/* Asks nobody yet. */
struct engine_watch *engine_watch_create(uint32_t seed, struct kinds *kinds);
/*
 * From now on the snapshot's backends are asked, as its settings say, and no others. Those that it knows
 * already are not asked anew. Main thread.
 */
void engine_watch_follow(struct engine_watch *w, const struct config_snapshot *l);
/* The question under way is given up; no further one is begun. Main thread, as the following. */
void engine_watch_stop(struct engine_watch *w);
void engine_watch_join(
        struct engine_watch *w); /* waits for the thread, after engine_watch_stop() */
void engine_watch_destroy(
        struct engine_watch *w); /* after the last engine_watch_ask_soon(); NULL is fine */

/* Answers of this backend tell of another engine: it is asked soon, but not more often than every
 * ENGINE_WATCH_PAUSE_NS. Any thread. */
#define ENGINE_WATCH_PAUSE_NS (10 * UINT64_C(1000000000))
void engine_watch_ask_soon(struct engine_watch *w, const struct backend_state *p);
