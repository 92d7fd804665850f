#pragma once
/*
 * neighbours - one exchange and those that were in flight with it: reads them from a capture,
 * writes them to a file, and sends them again together. If the answer is wrong again,
 * neighbours_try() looks for a smaller set with which the answer is still wrong.
 *
 * Glossary
 *
 *	examined exchange  the exchange whose answer is wrong
 *	neighbour       a leg of the same backend that was in flight at some time together with
 *	                the examined one, or ended within the window before the examined one began
 *	member          a neighbour, or the examined one, as a request to send again
 *	volley          some or all members, sent once with their recorded gaps
 *	symptom         the sign by which a wrong answer is recognised
 */
#include "capture/capture.h"
#include "replay/campaign/replay_backend.h"
#include "replay/feeder.h"

enum symptom {
	/* the answer differs from the most frequent answer to the request sent alone */
	SYMPTOM_DIFFERS,
	SYMPTOM_RECORDED, /* the answer equals the recorded one */
	SYMPTOM_ERROR,    /* the answer has a status of 400 or more, or is not complete */
	SYMPTOM_TEXT,     /* the answer contains `words` */
};

struct neighbours_options {
	/* file to write the requests to, as lines for `plumbline replay`; or NULL */
	const char *pack;
	struct replay_backend_options backend;
	uint64_t window; /* ns; length of the window before the examined exchange began */
	/* number of volleys that measure how often a set of members has the symptom */
	uint64_t times;
	uint64_t runs;  /* the most volleys of the search for a smaller set */
	uint64_t limit; /* the most neighbours; those nearest in time are taken */
	uint64_t seed;
	uint64_t timeout; /* ns; the longest time without a byte from the engine */
	double speed;     /* of the recorded gaps: 2 means twice as fast */
	enum symptom symptom;
	const char *words; /* SYMPTOM_TEXT */
	bool json;
};

struct member {
	struct id exchange;
	uint64_t start, end; /* wall clock, ns */
	/* 0: it is the examined exchange; 1: it was in flight when the examined one began; else 1 +
	 * ns between that moment and this request's start or end */
	uint64_t far;
	bool with; /* it was in flight when the examined exchange began */
	/* its client left before the answer ended; a volley then cancels it after the same time */
	bool left;
	struct job *job;
	char *path; /* path of the request at the target */
};

struct neighbourhood {
	const struct neighbours_options *o;
	struct capture *capture;
	struct capture_exchange examined;
	size_t examined_leg;
	struct member *members; /* ordered by start, including the examined exchange */
	size_t n, at;           /* number of members; index of the examined exchange in members */
	uint64_t too_many;      /* number of neighbours that were left out because of o->limit */
	/* reasons, with counts, of neighbours that cannot be sent again */
	struct error_tally unfit;
};

struct occurrence { /* `hits` of `n` volleys had the symptom; n 0: none was sent */
	uint64_t hits, n;
};

struct neighbours_finding {
	/* `alone`: the examined request by itself; `together`: all members; `confirmed`: those in
	 * `needed`, sent again afterwards */
	struct occurrence alone, together, confirmed;
	/* the most frequent answer to the request alone */
	char *healthy;
	char *wrong_answer; /* an answer with the symptom; NULL: there was none */
	bool was_recorded;  /* `healthy` is the recorded answer */
	/* the healthy answer did not come back between volleys, so the engine itself stayed
	 * wrong */
	bool stays_sick;
	/* indices of the neighbours that, with the examined exchange, are enough for the symptom;
	 * if `shrunk` is false, of all neighbours */
	uint32_t *needed;
	size_t n_needed;
	/* shrunk: smaller sets were tried. minimal: as *ret_minimal of shrink_set() */
	bool shrunk, minimal;
	uint64_t volleys; /* number of volleys sent */
};

/* The next three functions return an exit code; errors were printed. */
/* Reads the neighbours of *examined from the capture. h owns its contents from now on; call
 * neighbours_finish() in any case. */
int neighbours_find(struct neighbourhood *h, struct capture *c, struct capture_exchange *examined,
        const struct neighbours_options *o) MUST_CHECK;
/* Prepares each request for a target (NULL: only to write it). Drops neighbours that cannot be
 * sent, and counts them in h->unfit. It is an error if the examined request cannot be sent. */
int neighbours_load(struct neighbourhood *h, const struct target *t) MUST_CHECK;
/* Checks that the backend has the models that the requests name. */
int neighbours_check_models(
        const struct neighbourhood *h, const struct replay_backend *b) MUST_CHECK;
/* Appends the requests as lines for `plumbline replay`, with their times. only: the indices of n
 * neighbours, in order, to write beside the examined exchange; NULL: all. */
void neighbours_put_lines(
        const struct neighbourhood *h, const uint32_t *only, size_t n, struct buf *to);
void neighbours_finish(struct neighbourhood *h);

/* Sends volleys until there is a finding. Returns 0, or -ECANCELED after a signal. In both cases
 * *ret has what was found so far; call neighbours_finding_finish(). */
int neighbours_try(const struct neighbourhood *h, const struct target *t,
        struct neighbours_finding *ret) MUST_CHECK;
void neighbours_finding_finish(struct neighbours_finding *f);
