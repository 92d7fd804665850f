#pragma once
/*
 * neighbours - one exchange and what was in flight with it and before it: told from a capture, written to a file,
 * sent again together, and made fewer as long as the answer still comes out wrong.
 *
 * Glossary
 *	asked       the exchange whose answer came out wrong
 *	neighbour   a leg of the same backend that was under way while the asked one was, or within the window before
 *	volley      all of them, or some, sent once with their recorded gaps
 *	symptom     what of the asked one's answer tells that it came out wrong again
 */
#include "capture/capture.h"
#include "cli/replay/replay_backend.h"
#include "replay/feeder.h"

enum symptom {
	SYMPTOM_DIFFERS,  /* from what it is answered alone */
	SYMPTOM_RECORDED, /* it is the recorded answer */
	SYMPTOM_ERROR,    /* a status of 400 or more, or no whole answer */
	SYMPTOM_TEXT,     /* it holds these words */
};

struct neighbours_options {
	const char *pack; /* file for the requests; or NULL */
	struct replay_wish wish;
	uint64_t window; /* ns before the asked one */
	uint64_t times;  /* volleys for each rate that is told */
	uint64_t runs;   /* volleys at most, for making them fewer */
	uint64_t limit;  /* neighbours, those nearest in time */
	uint64_t seed, timeout;
	double speed;
	enum symptom symptom;
	const char *words; /* SYMPTOM_TEXT */
	bool json;
};

/* A request to be sent again. */
struct member {
	struct id exchange;
	uint64_t start, end; /* wall clock, ns */
	uint64_t
	        far; /* ns between it and the asked one's start; 1 if it was under way then, 0: the asked one */
	bool with; /* under way when the asked one began; else it had ended before, or came later */
	bool left; /* its client left before the end */
	struct job *job;
	char *path; /* at the target */
};

struct neighbourhood {
	const struct neighbours_options *o;
	struct capture *capture;
	struct capture_exchange asked;
	size_t asked_leg;
	struct member *members;   /* in order of their start; the asked one among them */
	size_t n, at;             /* at: the asked one's place */
	uint64_t too_many;        /* neighbours beyond the limit */
	struct error_tally unfit; /* neighbours that can't be sent again */
};

struct occurrence { /* how often of how many */
	uint64_t hits, n;
};

struct neighbours_finding {
	struct occurrence alone, together, confirmed; /* n 0: not tried */
	char *healthy;                                /* what it is answered alone, most often */
	char *sick;                                   /* an answer with the symptom; or NULL */
	bool was_recorded;                            /* healthy is the recorded answer */
	bool stays_sick;  /* before a volley it was not answered as alone any more */
	uint32_t *needed; /* members that suffice, places in the neighbourhood */
	size_t n_needed;
	bool shrunk, minimal;
	uint64_t volleys; /* sent in all */
};

/* EXIT_PASS, or what was wrong has been said. */
int neighbours_find(struct neighbourhood *h, struct capture *c, struct capture_exchange *asked,
        const struct neighbours_options *o) MUST_CHECK;
/* Makes each ready for a target; those that can't be are left out, into h->unfit. */
int neighbours_load(struct neighbourhood *h, const struct target *t) MUST_CHECK;
/* The requests as lines that `plumbline replay` reads, with when they came. only: places, or NULL for all. 0, or -errno. */
int neighbours_pack(
        const struct neighbourhood *h, const uint32_t *only, size_t n, const char *path) MUST_CHECK;
void neighbours_finish(struct neighbourhood *h);

/* 0, or -ECANCELED: by a signal; *ret holds what was found until then. */
int neighbours_try(const struct neighbourhood *h, const struct target *t,
        struct neighbours_finding *ret) MUST_CHECK;
void neighbours_finding_finish(struct neighbours_finding *f);

void neighbours_tell(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off);
void neighbours_tell_json(const struct neighbourhood *h, const struct target *t,
        const struct neighbours_finding *f, bool broken_off);

/* All of it: `plumbline repro DIR ID --neighbours`. asked is taken over; an exit code. */
int neighbours_run(
        struct capture *c, struct capture_exchange *asked, const struct neighbours_options *o);
