#pragma once
/*
 * engine_watch - one thread that asks each backend who it is: at the start, every `poll`, and soon
 * after an answer that looks like another engine's.
 *
 * It sends GETs, and POSTs that only read (Ollama's /api/show), with the backend's api_key; nothing
 * that generates. `poll: off`: never. The result goes to engine_info; when the engine has changed,
 * kinds.h forgets what its answers have shown.
 *
 * llama-cpp-python aborts a running stream when another request comes. It is recognised by
 * /openapi.json, which is harmless; it, or a backend configured as such, is asked only while none
 * of our requests to it runs.
 */
#include <stdint.h>

struct kinds;
struct config_snapshot;
struct backend_state;
struct engine_watch;

/* Asks nobody before engine_watch_follow(). */
struct engine_watch *engine_watch_create(uint32_t seed, struct kinds *kinds);
/*
 * Asks the snapshot's backends from now on, and no others. Backends that it already follows keep
 * their schedule. Main thread.
 */
void engine_watch_follow(struct engine_watch *w, const struct config_snapshot *l);
/* Cancels the running question and asks no more. Main thread, as the next two. */
void engine_watch_stop(struct engine_watch *w);
void engine_watch_join(
        struct engine_watch *w); /* after engine_watch_stop(): waits for the thread */
void engine_watch_destroy(
        struct engine_watch *w); /* after the last engine_watch_ask_soon(); NULL is fine */

/* Asks this backend as soon as possible, but at most every ENGINE_WATCH_PAUSE_NS. Any thread. */
#define ENGINE_WATCH_PAUSE_NS (10 * UINT64_C(1000000000))
void engine_watch_ask_soon(struct engine_watch *w, const struct backend_state *p);
