#pragma once
/*
 * score_pool - threads that have references score the primary's answers, and wait for the engines.
 *
 *	loops --jobs--> a queue for each reference --> its threads --> recorder
 *
 * One a process. Threads start when jobs come, as many as the reference has places, and end when
 * there was nothing to do for a while. They share the reference's places with its copies. Any
 * thread.
 */
#include <stdbool.h>

struct backend_state;
struct recorder;
struct score_job;
struct shared;

struct score_pool;

struct score_pool *score_pool_create(struct shared *shared);
/* Takes the job over. Waits for nobody. */
void score_pool_submit(struct score_pool *s, struct score_job *o);
/* A place of this backend became free. */
void score_pool_wake(struct score_pool *s, const struct backend_state *p);
/* Nothing waits, and nothing is being scored. */
bool score_pool_is_idle(const struct score_pool *s);
/* Drops what waits and all that comes later (DROP_STOPPED), and gives up requests under way within
 * a tenth of a second. */
void score_pool_stop(struct score_pool *s);
/* Stops, and waits for the threads. Before the recorder stops; nobody gives jobs any more. NULL is
 * fine. */
void score_pool_destroy(struct score_pool *s);
