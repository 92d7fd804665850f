#pragma once
/*
 * trial_work - one exchange under way: what its legs share is read once, and only if it is asked for. Private to trials.
 */
#include "analyzer/compare/meaning/task.h"
#include "analyzer/trial.h"
#include "analyzer/trial_blame.h"

/* What is read of a leg. */
struct trial_leg {
	struct reading *reading; /* NULL until asked for, and when it can't be had */
	bool tried;              /* asked for */
	bool has_facts;
	struct request_facts facts;
};

struct trial_work {
	struct trial *trial;
	const struct capture_exchange *e;
	struct trial_leg *legs; /* as many as the exchange has */
	struct buf body;        /* the request's */
	bool has_body;
	struct task task;
	bool has_task;
	uint8_t cluster[CLUSTERS_KEY_SIZE];
	struct trial_judged *judged; /* answers of greedy pairs */
	size_t n_judged;
};

/* Both outlive it; e is not to change meanwhile. */
void trial_work_init(struct trial_work *w, struct trial *t, const struct capture_exchange *e);
void trial_work_finish(struct trial_work *w);
/* What follows lives until then. */

/* NULL: it can't be had. */
const struct reading *trial_work_reading(struct trial_work *w, size_t leg);
/* What was asked of that leg. */
const struct request_facts *trial_work_facts(struct trial_work *w, size_t leg);
/* How that leg's answer was decoded. */
struct decoding_side trial_work_side(struct trial_work *w, size_t leg);
/* The request's; empty where it can't be had. */
struct span trial_work_body(struct trial_work *w);
const struct task *trial_work_task(struct trial_work *w);
