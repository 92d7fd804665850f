#pragma once
/*
 * score_pool - threads that send answers to references for scoring, and wait for the engines.
 *
 *	loops ──jobs──► one queue per reference ──► its threads ──► recorder
 *
 * One per process. Threads start when jobs come, at most as many as the reference has slots, and
 * end after ten seconds without work. Scores and copies share the reference's slots. Any thread.
 */
#include <stdbool.h>

struct backend_state;
struct score_job;
struct shared;

struct score_pool;

struct score_pool *score_pool_create(struct shared *shared);
/* Queues the job and takes ownership of it. Does not block. */
void score_pool_submit(struct score_pool *s, struct score_job *job);
/* Call when a slot of this backend became free. */
void score_pool_wake(struct score_pool *s, const struct backend_state *p);
/* True if no job waits or runs. */
bool score_pool_is_idle(const struct score_pool *s);
/* Drops waiting and later jobs (DROP_STOPPED), and cancels running ones within a tenth of a
 * second. */
void score_pool_stop(struct score_pool *s);
/* Stops the pool and joins its threads. Call after the last score_pool_submit() and before the
 * recorder stops. NULL is fine. */
void score_pool_destroy(struct score_pool *s);
