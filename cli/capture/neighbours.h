#pragma once
/*
 * neighbours - one exchange and those that were in flight with it: reads them from a capture,
 * writes them to a file, sends them again together, and reduces their number as long as the answer
 * stays wrong.
 *
 * Glossary
 *	asked       the exchange whose answer is wrong
 *	neighbour   a leg of the same backend that was in flight when the asked exchange began, or
 *	            ended within the window before that
 *	volley      some or all of these requests, sent once with their recorded gaps
 *	symptom     the sign by which a wrong answer is recognised
 */
#include "capture/capture.h"
#include "cli/replay/replay_backend.h"
#include "replay/feeder.h"

enum symptom {
	SYMPTOM_DIFFERS,  /* the answer differs from the one to the request sent alone */
	SYMPTOM_RECORDED, /* the answer equals the recorded one */
	SYMPTOM_ERROR,    /* a status of 400 or more, or no whole answer */
	SYMPTOM_TEXT,     /* the answer contains the given words */
};

struct neighbours_options {
	const char *pack; /* file to write the requests to; or NULL */
	struct replay_wish wish;
	uint64_t window; /* ns; length of the window before the start of the asked exchange */
	uint64_t times;  /* number of volleys for each rate that is measured */
	uint64_t runs;   /* the most volleys while the set is reduced */
	uint64_t limit;  /* the most neighbours; the nearest in time are taken */
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
	/* ns from the start of the asked exchange; 1: it was in flight then; 0: it is the asked
	 * exchange */
	uint64_t far;
	/* it was in flight when the asked exchange began; false: it ended before that, or began
	 * later */
	bool with;
	bool left; /* its client left before the answer ended */
	struct job *job;
	char *path; /* path of the request at the target */
};

struct neighbourhood {
	const struct neighbours_options *o;
	struct capture *capture;
	struct capture_exchange asked;
	size_t asked_leg;
	struct member *members;   /* ordered by start, including the asked exchange */
	size_t n, at;             /* number of members; index of the asked exchange */
	uint64_t too_many;        /* number of neighbours beyond the limit */
	struct error_tally unfit; /* neighbours that cannot be sent again, by reason */
};

struct occurrence { /* `hits` of `n` tries had the symptom */
	uint64_t hits, n;
};

struct neighbours_finding {
	struct occurrence alone, together, confirmed; /* n 0: not tried */
	/* the most frequent answer to the request alone */
	char *healthy;
	char *sick;        /* an answer with the symptom; or NULL */
	bool was_recorded; /* `healthy` is the recorded answer */
	/* the engine stayed wrong: the healthy answer did not come back between volleys */
	bool stays_sick;
	uint32_t *needed; /* indices of the members that are enough for the symptom */
	size_t n_needed;
	bool shrunk, minimal;
	uint64_t volleys; /* number of volleys sent */
};

/* Sends volleys until it has a finding. Returns 0, or -ECANCELED after a signal; in both cases
 * *ret has what was found so far. */
int neighbours_try(const struct neighbourhood *h, const struct target *t,
        struct neighbours_finding *ret) MUST_CHECK;
void neighbours_finding_finish(struct neighbours_finding *f);

/* Prints the finding. broken_off: a signal ended the search. */
void neighbours_print(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off);
void neighbours_print_json(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off);

/* Runs `plumbline repro DIR ID --neighbours`. Takes ownership of asked; returns an exit code. */
int neighbours_run(
        struct capture *c, struct capture_exchange *asked, const struct neighbours_options *o);
