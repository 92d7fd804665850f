#pragma once
/*
 * score_answers - has an engine score the answers of a capture that have no scores yet, and records
 * the scores. Each worker has one scorer (backends/scoring/scorer.h).
 */
#include "analyzer/annotate/annotator.h"
#include "backends/scoring/scorer.h"

struct score_job { /* owns only its results */
	struct capture *capture;
	const struct recording *to; /* records the scores; must be open */
	struct scorer_settings scorer;
	/* the scoring backend, as the legs name it; url without credentials */
	const char *name, *url;
	enum role role;                  /* of the legs with the scores */
	const struct manifest *manifest; /* of the scoring backend's stack; NULL: not known */
	const char *of; /* name of the backend whose answers are scored; NULL: the primaries */
	/* Returns the model to request from the scorer; NULL: the request names none. requested:
	 * the model in the client's request; NULL: none. Called on worker threads, under the
	 * annotator's lock. The result must stay valid until the lock is released. */
	const char *(*model)(const void *arg, const char *requested);
	const void *arg;
	unsigned concurrency; /* 1 to ANNOTATOR_WORKERS */
	uint64_t limit;       /* the most answers to score; UINT64_MAX: no limit */

	/* The results. tally.done: the answers that were scored now. */
	struct annotator_tally tally;
	uint64_t wanted;  /* answers to score now */
	uint64_t already; /* answers that were scored before */
	uint64_t tokens;  /* of the answers that were scored now */
};

/* Scores the answers from the capture's current exchange to its end. Blocks until all are scored or
 * the work ended early (tally). Returns NULL, or a sentence: why the work could not begin. The
 * caller frees the results with annotator_tally_finish(&j->tally). */
char *score_answers(struct score_job *j) MUST_CHECK;
