#pragma once
/*
 * watch - one thread that asks each backend slowly who it is: at the start, every poll interval, and
 * soon after an answer that tells of another engine.
 *
 * It sends GETs, and POSTs that only tell (Ollama's /api/show), with the proxy's own key of that
 * backend; nothing that generates. A backend with `poll: off` is never asked. What is learned goes
 * into the backend's stack.
 *
 * An engine that bears one request at a time (llama-cpp-python) ends a running stream early when it
 * is asked for its models: it is known by /openapi.json, which disturbs nothing, and then asked
 * nothing else; and one that is configured or known as such is asked only while none of our own
 * requests to it is under way.
 */
#include <stddef.h>

struct shared;
struct watch;

/* NULL: no backend is to be asked, there is no thread. */
struct watch *watch_start(struct shared *s);
/* The question under way is given up; no further one is begun. Any thread; NULL is fine. */
void watch_halt(struct watch *w);
/* Waits for the thread, after watch_halt(). NULL is fine. */
void watch_join(struct watch *w);
/* After the last watch_soon(). NULL is fine. */
void watch_destroy(struct watch *w);

/* Answers of this backend (0: the primary, then the references) tell of another engine: it is asked soon,
 * but not more often than every WATCH_PAUSE_NS. Any thread; NULL is fine. */
#define WATCH_PAUSE_NS (10 * UINT64_C(1000000000))
void watch_soon(struct watch *w, size_t backend);
