#pragma once
/*
 * score_pool - threads that ask references for scores of answers, and wait for the engines.
 *
 * 	loops ──jobs──► one queue per reference ──► its threads ──► recorder
 *
 * One per process. Threads start when jobs come, at most as many as the reference has slots, and
 * end after ten seconds without work. Scores and copies share the reference's slots. Any thread.
 */
#include <stdbool.h>

struct backend_state;
struct recorder;
struct score_job;
struct shared;

struct score_pool;

struct score_pool *score_pool_create(struct shared *shared);
/* Takes over the job. Does not block. */
void score_pool_submit(struct score_pool *s, struct score_job *o);
/* A slot of this backend became free. */
void score_pool_wake(struct score_pool *s, const struct backend_state *p);
/* No job waits or runs. */
bool score_pool_is_idle(const struct score_pool *s);
/* Drops jobs that wait or come later (DROP_STOPPED), and cancels running ones within a tenth of a
 * second. */
void score_pool_stop(struct score_pool *s);
/* Stops, and joins the threads. Before the recorder stops, and after the last submit. NULL is
 * fine. */
void score_pool_destroy(struct score_pool *s);
