#pragma once
/*
 * traffic - how fast and how well backends answered, and what watching them cost: latency, errors, tokens.
 *
 * Blocks only note what came; the whole takes their notes in order, so that it has the same bits however many
 * threads made them. Times of single tokens are in no row: they are measured on a bounded sample of answers,
 * whose bodies are read once more with the moments at which their bytes came. Durations are microseconds.
 */
#include "base/arena.h"
#include "base/histogram.h"
#include "base/reasons.h"
#include "capture/capture.h"

#define TRAFFIC_BACKENDS 16
#define TRAFFIC_PASSES 256
#define TRAFFIC_SAMPLE 2048 /* answers of a backend whose tokens' times are measured */

struct traffic_backend {
	char *name;
	enum role role;
	uint64_t answers; /* of any end */
	uint64_t complete;
	uint64_t cut; /* by the client, or by our own shutdown: no failures */
	uint64_t streams;
	struct reasons failed; /* by kind */
	uint64_t prompt_tokens, completion_tokens, cached_tokens;
	uint64_t without_usage; /* complete, but the answer does not count its tokens */
	uint64_t body_bytes;
	uint64_t busy_us; /* sum of the times that answers took */
	struct traffic_pass {
		struct id run;
		uint64_t part;              /* of a run: a suite, in a repeat */
		uint64_t first_ns, last_ns; /* wall clock: an answer's begin, and its end */
	} passes[TRAFFIC_PASSES];
	size_t n_passes;
	/* Of runs that had to make room for later ones. */
	double closed_seconds;
	size_t closed_runs;
	/* Of complete answers: waiting for a place; first content (AIPerf's first token); last byte. */
	struct histogram queued, first_content, last_byte;
	/* As vLLM's benchmark defines them: of all complete answers, or of a sample. */
	struct histogram ttft, itl, tpot, e2e;
	struct traffic_pick {
		uint64_t hash, end_us;
		struct id exchange, leg;
		bool stream; /* its body tells when its tokens came */
	} * picks;
	size_t n_picks;
	bool is_sample;
};

/* Parts of the primary's answers to chats and completions. */
enum traffic_part_name {
	TRAFFIC_INJECTED, /* the request was added to */
	TRAFFIC_UNINJECTED,
	TRAFFIC_MIRRORED, /* a copy was sent elsewhere */
	TRAFFIC_UNMIRRORED,
	N_TRAFFIC_PARTS,
};
struct traffic_part {
	uint64_t answers, failed;
	struct histogram first_content, last_byte; /* of complete ones */
};

struct traffic {                    /* zero-initialised is empty */
	struct traffic_note *notes; /* of a block */
	size_t n_notes, notes_room;
	struct arena names;               /* in notes */
	struct traffic_backend *backends; /* of the whole; room for TRAFFIC_BACKENDS */
	size_t n_backends;
	uint64_t beyond; /* answers of yet other backends */
	struct traffic_part parts[N_TRAFFIC_PARTS];
};

void traffic_note(struct traffic *t, const struct capture_exchange *e);
void traffic_merge(struct traffic *t, const struct traffic *block);
/* Once, after the last block: measures the sample. The capture is read anew. */
void traffic_settle(struct traffic *t, struct capture *c);
void traffic_finish(struct traffic *t);

void traffic_thin(struct traffic_backend *b); /* internal: cuts the picks to TRAFFIC_SAMPLE */
/* In which it was asked, over its runs: targets that take turns wait for one another between passes. */
double traffic_seconds(const struct traffic_backend *b);
size_t traffic_runs(const struct traffic_backend *b);
