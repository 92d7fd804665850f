#pragma once
/*
 * watch - one thread that asks each backend slowly who it is: at the start, every poll interval, and
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
struct lineup;
struct party;
struct watch;

/* Asks nobody yet. */
struct watch *watch_create(uint32_t seed, struct kinds *kinds);
/*
 * From now on the lineup's parties are asked, as its settings say, and no others. Those that it knows
 * already are not asked anew. Main thread.
 */
void watch_follow(struct watch *w, const struct lineup *l);
/* The question under way is given up; no further one is begun. Main thread, as the following. */
void watch_halt(struct watch *w);
void watch_join(struct watch *w);    /* waits for the thread, after watch_halt() */
void watch_destroy(struct watch *w); /* after the last watch_soon(); NULL is fine */

/* Answers of this party tell of another engine: it is asked soon, but not more often than every
 * WATCH_PAUSE_NS. Any thread. */
#define WATCH_PAUSE_NS (10 * UINT64_C(1000000000))
void watch_soon(struct watch *w, const struct party *p);
