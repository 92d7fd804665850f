#pragma once
/*
 * neighbours - one exchange and those that were in flight with it: reads them from a capture,
 * writes them to a file, sends them again together, and reduces their number as long as the answer
 * is still wrong.
 *
 * Glossary
 *	asked       the exchange whose answer is wrong
 *	neighbour   a leg of the same backend that was in flight with the asked one, or ended within
 *	            the window before the asked one
 *	volley      all of these requests, or some, sent once with their recorded gaps
 *	symptom     how a wrong answer is recognised
 */
#include "capture/capture.h"
#include "cli/replay/replay_backend.h"
#include "replay/feeder.h"

enum symptom {
	SYMPTOM_DIFFERS,  /* differs from the answer to the request alone */
	SYMPTOM_RECORDED, /* equals the recorded answer */
	SYMPTOM_ERROR,    /* a status of 400 or more, or no whole answer */
	SYMPTOM_TEXT,     /* contains these words */
};

struct neighbours_options {
	const char *pack; /* file for the requests; or NULL */
	struct replay_wish wish;
	uint64_t window; /* length of the window before the asked one's start, ns */
	uint64_t times;  /* volleys for each measured rate */
	uint64_t runs;   /* the most volleys for reducing the set */
	uint64_t limit;  /* the most neighbours, nearest in time first */
	uint64_t seed, timeout;
	double speed;
	enum symptom symptom;
	const char *words; /* SYMPTOM_TEXT */
	bool json;
};

/* A request to send again. */
struct member {
	struct id exchange;
	uint64_t start, end; /* wall clock, ns */
	uint64_t
	        /* distance from the asked one's start, ns; 1 if it was in flight then; 0: it is
	         * the asked one */
	        far;
	bool with; /* in flight when the asked one began; false: it ended before, or began later */
	bool left; /* its client left before the end */
	struct job *job;
	char *path; /* at the target */
};

struct neighbourhood {
	const struct neighbours_options *o;
	struct capture *capture;
	struct capture_exchange asked;
	size_t asked_leg;
	struct member *members;   /* by start, including the asked one */
	size_t n, at;             /* at: the asked one's place */
	uint64_t too_many;        /* neighbours beyond the limit */
	struct error_tally unfit; /* neighbours that cannot be sent again */
};

struct occurrence { /* `hits` of `n` tries had the symptom */
	uint64_t hits, n;
};

struct neighbours_finding {
	struct occurrence alone, together, confirmed; /* n 0: not tried */
	/* the most frequent answer to the request alone */
	char *healthy;
	char *sick;        /* an answer with the symptom; or NULL */
	bool was_recorded; /* healthy is the recorded answer */
	bool stays_sick;   /* the healthy answer did not return before a volley */
	uint32_t *needed;  /* indices of sufficient members */
	size_t n_needed;
	bool shrunk, minimal;
	uint64_t volleys; /* total number sent */
};

/* Returns EXIT_PASS, or another code after printing the error. */
int neighbours_find(struct neighbourhood *h, struct capture *c, struct capture_exchange *asked,
        const struct neighbours_options *o) MUST_CHECK;
/* Prepares each request for a target; those that cannot be sent go to h->unfit. */
int neighbours_load(struct neighbourhood *h, const struct target *t) MUST_CHECK;
/* Writes the requests as lines for `plumbline replay`, with their times. only: indices, or NULL for
 * all. Returns 0 or -errno. */
int neighbours_pack(
        const struct neighbourhood *h, const uint32_t *only, size_t n, const char *path) MUST_CHECK;
void neighbours_finish(struct neighbourhood *h);

/* Returns 0, or -ECANCELED after a signal; *ret has what was found so far. */
int neighbours_try(const struct neighbourhood *h, const struct target *t,
        struct neighbours_finding *ret) MUST_CHECK;
void neighbours_finding_finish(struct neighbours_finding *f);

void neighbours_tell(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off);
void neighbours_tell_json(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off);

/* Runs `plumbline repro DIR ID --neighbours`. Takes ownership of asked; returns an exit code. */
int neighbours_run(
        struct capture *c, struct capture_exchange *asked, const struct neighbours_options *o);
