#pragma once
/*
 * score_work - the work of `plumbline score`: scores answers from a capture, and records the
 * scores. Each worker thread has one scorer (backends/scoring/scorer.h).
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine_identity.h"
#include "backends/scoring/scorer.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "cli/opinions/score.h"
#include "cli/opinions/score_backend.h"
#include "capture/recording.h"

/* The results. */
struct score_tally {
	uint64_t wanted;           /* answers to score now */
	uint64_t already;          /* answers that were scored before */
	uint64_t scored, tokens;   /* answers scored now; number of their tokens */
	struct error_tally unable; /* answers that cannot be scored, by reason */
	struct error_tally failed; /* answers whose scoring failed now, by reason */
	bool gone;                 /* the engine is unreachable, so the work stopped */
	bool stopped;              /* SIGINT or SIGTERM came */
	uint64_t seconds;          /* duration, rounded down */
};

struct score_job_settings {
	const struct score_backend *backend;
	struct scorer_settings scorer;
	const struct engine_identity *engine;
	const struct manifest *manifest; /* of the backend's stack; NULL: not known */
	const char *of;    /* name of the backend whose answers are scored; NULL: the primaries */
	const char *model; /* NULL: the requested one, with the name that the backend has for it */
	unsigned concurrency;
	/* the most answers to score; UINT64_MAX: no limit */
	uint64_t limit;
	const struct recording *to; /* records the scores; must be open */
};

/* Scores the answers that have no scores yet. After SIGINT or SIGTERM it sends no further request,
 * and returns. Returns NULL, or a sentence: why it could not begin. */
char *score_work(
        struct capture *c, const struct score_job_settings *s, struct score_tally *ret) MUST_CHECK;
void score_tally_finish(struct score_tally *t);
