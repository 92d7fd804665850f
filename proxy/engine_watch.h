#pragma once
/*
 * engine_watch - one thread that asks each backend which engine it is: at the start, every `poll`,
 * and soon after an answer that looks like another engine's.
 *
 * It sends GETs, and POSTs that only read (Ollama's /api/show), with the backend's api_key. It
 * never asks for a generation. With `poll: off` it asks nothing. It reports the answers to
 * engine_info. When the engine has changed, it makes kinds.h forget the forms of the engine's
 * answers.
 *
 * llama-cpp-python aborts a running stream when another request comes, except GET /openapi.json, by
 * which the watch recognises this engine. The watch asks this engine, or a backend that is
 * configured as this engine, only while no request of the proxy to it runs.
 */
#include <stdint.h>

struct kinds;
struct config_snapshot;
struct backend_state;
struct engine_watch;

/* Sends nothing before engine_watch_follow(). */
struct engine_watch *engine_watch_create(uint32_t seed, struct kinds *kinds);
/* From now on asks the backends of this snapshot, and no others. Those that the snapshot before had
 * too keep their schedule. Main thread. */
void engine_watch_follow(struct engine_watch *w, const struct config_snapshot *snapshot);
/* Cancels the running request and sends no more. Main thread; engine_watch_join() and
 * engine_watch_destroy() too. */
void engine_watch_stop(struct engine_watch *w);
/* Waits for the thread. Call after engine_watch_stop(). */
void engine_watch_join(struct engine_watch *w);
/* Call after the last engine_watch_poll_soon(). NULL is fine. */
void engine_watch_destroy(struct engine_watch *w);

/* Asks this backend as soon as possible, but at most every ENGINE_WATCH_PAUSE_NS. Any thread. */
#define ENGINE_WATCH_PAUSE_NS (10 * UINT64_C(1000000000))
void engine_watch_poll_soon(struct engine_watch *w, const struct backend_state *p);
