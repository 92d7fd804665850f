#pragma once
/*
 * judge_pairs - asks a judge about the pairs of a list, and records its replies. The judge is a
 * model, with one client for each worker (backends/judge_client.h), or the library Math-Verify,
 * which compares the values that both answers mark.
 */
#include "analyzer/annotate/judge_list.h"
#include "analyzer/annotate/library.h"
#include "backends/judge_client.h"

struct judge_job { /* owns only its results */
	struct capture *capture;
	const struct recording *to; /* records the replies; must be open */
	const struct judge_list *list;
	/* The judge as the legs name it; url without credentials. */
	const char *name, *url;
	enum role role;                      /* of the legs with the replies */
	unsigned concurrency;                /* 1 to ANNOTATOR_WORKERS */
	struct judge_client_settings client; /* for judge_by_model() */
	struct library library;              /* for judge_by_library() */

	/* The results. tally.done: the replies that were recorded. */
	struct annotator_tally tally;
	uint64_t judged;              /* pairs that are now judged in both orders */
	uint64_t replies[N_OPINIONS]; /* replies by verdict */
	uint64_t unclear;             /* replies without a verdict */
};

/* Ask about every pair. Block until all pairs are judged or the work ended early (tally). Return
 * NULL, or a sentence: why the work could not begin. The caller frees the results with
 * annotator_tally_finish(&j->tally). judge_by_library() needs a list that was made with
 * judge_options.mathematics. */
char *judge_by_model(struct judge_job *j) MUST_CHECK;
char *judge_by_library(struct judge_job *j) MUST_CHECK;
